"""Runs a Python program once, the way its plan says, and reads what came back."""

import re
from dataclasses import replace

from kit.harness import box_files, calls, observe, services
from kit.harness.arguments import Unmappable
from kit.harness.calls import Call
from kit.harness.plan import plan
from kit.records import Evidence, Status, Task, Test
from kit.sandbox.base import Sandbox

RUNNERS = {"call": "kit_call.py", "script": "kit_script.py", "serve": "kit_drive.py"}
SERVE = [box_files.PYTHON, "-u", f"{box_files.FOLDER}/kit_serve.py", "{sink}", "{port}"]
_FOLDER = re.compile(r"(?<![\w/.-])(?:\./)?(test_dir(?:/[\w-]+)*)/|(?<![\w/.-])(test_dir)\b")


def run(box: Sandbox, task: Task, test: Test, code: str) -> Evidence:
    """The evidence of one test; what the candidate does never raises here."""
    chosen = plan(code, "python", task)
    if chosen.kind == "none":
        return Evidence(chosen.status, isolation=box.name, note=chosen.reason)
    try:
        call = calls.prepare(chosen, task, test)
    except (Unmappable, UnicodeEncodeError) as error:
        return Evidence(Status.HARNESS_ERROR, isolation=box.name, note=str(error))
    evidence = _start(box, task, call, code)
    if evidence.status is Status.INFRA_ERROR:
        return evidence
    seen = observe.read(chosen, evidence, call)
    databases = services.dumps(box, task, test, seen)
    return replace(seen, observed=replace(seen.observed, databases=databases))


def _start(box: Sandbox, task: Task, call: Call, code: str) -> Evidence:
    runner = RUNNERS[call.way]
    job = {**call.job, "command": SERVE} if call.way == "serve" else call.job
    folders = tuple(sorted({a or b for a, b in _FOLDER.findall(task.prompt)}))
    files = {
        **call.files,
        "main.py": code.encode(),
        **box_files.job(runner, job, folders=folders),
    }
    return box.run(box_files.argv(runner), files=files, stdin=call.stdin, env=box_files.ENVIRONMENT)
