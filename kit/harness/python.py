"""Starts a Python program once, the way its plan says."""

from kit.harness import box_files, flow
from kit.harness.calls import Call
from kit.harness.plan import Plan
from kit.harness.read.python import read
from kit.records import Evidence, Task, Test
from kit.sandbox.base import Sandbox

RUNNERS = {"call": "kit_call.py", "script": "kit_script.py", "serve": "kit_drive.py"}
SERVE = [box_files.PYTHON, "-u", f"{box_files.FOLDER}/kit_serve.py", "{sink}", "{port}"]


def run(box: Sandbox, task: Task, test: Test, code: str) -> Evidence:
    """The evidence of one test; what the candidate does never raises here."""
    return flow.run(box, task, test, code, read=read, start=_start)


def _start(box: Sandbox, _: Plan, call: Call, code: str, folders: flow.Folders) -> Evidence:
    runner = RUNNERS[call.way]
    job = {**call.job, "command": SERVE} if call.way == "serve" else call.job
    files = {
        **call.files,
        "main.py": code.encode(),
        **box_files.job(runner, job, folders=folders),
    }
    command = [*call.around.before, *box_files.argv(runner)]
    environment = box_files.ENVIRONMENT
    return box.run(command, files=files, stdin=call.stdin, env=environment, **call.around.options)
