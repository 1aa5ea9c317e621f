"""Starts a Python program once, the way its plan says."""

import sys

from kit.harness import box_files, flow
from kit.harness.calls import Call
from kit.harness.plan import Plan
from kit.harness.read.python import read
from kit.records import Evidence, Task, Test
from kit.sandbox.base import Sandbox

RUNNERS = {"call": "kit_call.py", "script": "kit_script.py", "serve": "kit_drive.py"}
SERVE = [*box_files.argv("kit_serve.py", "-u"), "{sink}", "{port}"]
# With these and with packages a program may notice what the module site does beyond the search path
# and the builtins: it runs lines of installed packages, which load importlib.util among others.
_NOTICED = {"concurrent", "distutils", "importlib", "multiprocessing", "pkgutil", "runpy", "site"}
_PLAIN = sys.stdlib_module_names - _NOTICED


def run(box: Sandbox, task: Task, test: Test, code: str) -> Evidence:
    """The evidence of one test; what the candidate does never raises here."""
    return flow.run(box, task, test, code, read=read, start=_start)


def _start(box: Sandbox, chosen: Plan, call: Call, code: str, folders: flow.Folders) -> Evidence:
    runner = RUNNERS[call.entry_kind]
    job = {**call.job, "command": SERVE} if call.entry_kind == "serve" else call.job
    plain = call.entry_kind == "serve" or (
        chosen.facts is not None and chosen.facts.imports <= _PLAIN
    )
    files = {
        **call.files,
        "main.py": code.encode(),
        **box_files.job(box, runner, job, folders=folders),
    }
    command = [*call.environment.before, *box_files.argv(runner, *["-S"] * plain)]
    return box.run(command, files=files, stdin=call.stdin, **call.environment.options)
