"""Starts a Python program once, the way its plan says."""

import sys

from kit import harness
from kit.harness import box_files
from kit.harness.calls import Call
from kit.harness.languages.python import read
from kit.harness.plan import Plan
from kit.languages import Language
from kit.records import Evidence, Task, Test
from kit.sandbox.base import Sandbox

RUNNERS = {"call": "kit_call.py", "script": "kit_script.py", "serve": "kit_drive.py"}
SERVE = [*box_files.argv("kit_serve.py", "-u"), "{sink}", "{port}"]
ENVIRONMENT: dict[str, str] = {}
MISSING = [
    box_files.PYTHON, "-c", "import importlib.util as u, json, sys; "
    "print(json.dumps([n for n in sys.argv[1:] if u.find_spec(n) is None]))",
]  # fmt: skip
# With these and with packages a program may notice what the module site does beyond the search path
# and the builtins: it runs lines of installed packages, which load importlib.util among others.
_NOTICED = {"concurrent", "distutils", "importlib", "multiprocessing", "pkgutil", "runpy", "site"}
_PLAIN = sys.stdlib_module_names - _NOTICED


def run(box: Sandbox, task: Task, test: Test, code: str, language: Language) -> Evidence:
    """The evidence of one test; what the candidate does never raises here."""
    return harness.started(box, task, test, code, language, read=read, start=_start)


def _start(box: Sandbox, chosen: Plan, call: Call, code: str, language: Language) -> Evidence:
    runner = RUNNERS[call.entry_kind]
    serves = call.entry_kind == "serve"
    job = {**call.job, "command": SERVE} if serves else call.job
    plain = serves or chosen.facts.imports <= _PLAIN
    ours = box_files.job(box, runner, job, folders=call.folders)
    files = {**call.files, language.program: code.encode(), **ours}
    command = [*call.environment.before, *box_files.argv(runner, *["-S"] * plain)]
    return box.run(command, files=files, stdin=call.stdin, **call.environment.options)
