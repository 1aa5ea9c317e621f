"""One test of one program from the plan to the evidence; the same for every language."""

import re
from collections.abc import Callable
from dataclasses import replace

from kit.harness import calls, observe, services
from kit.harness.arguments import Unmappable
from kit.harness.calls import Call
from kit.harness.plan import Plan, Reader, plan
from kit.records import Evidence, Status, Task, Test
from kit.sandbox.base import Sandbox

Folders = tuple[str, ...]
Start = Callable[[Sandbox, Plan, Call, str, Folders], Evidence]
_NOTHING = (Status.INFRA_ERROR, Status.COMPILE_ERROR, Status.HARNESS_ERROR)
_FOLDER = re.compile(r"(?<![\w/.-])(?:\./)?(test_dir(?:/[\w-]+)*)/|(?<![\w/.-])(test_dir)\b")


def run(box: Sandbox, task: Task, test: Test, code: str, *, read: Reader, start: Start) -> Evidence:
    """The evidence of one test; what the candidate does never raises here."""
    chosen = plan(code, read, task)
    if chosen.kind == "none":
        return Evidence(chosen.status, isolation=box.name, note=chosen.reason)
    if why := services.lacking(box, task):
        return Evidence(Status.HARNESS_ERROR, isolation=box.name, note=why)
    try:
        call = calls.prepare(chosen, task, test)
        evidence = start(box, chosen, call, code, folders(task))
    except (Unmappable, UnicodeEncodeError) as error:
        return Evidence(Status.HARNESS_ERROR, isolation=box.name, note=str(error))
    if evidence.status in _NOTHING:
        return evidence
    if why := observe.unbegun(evidence):
        return replace(evidence, status=Status.HARNESS_ERROR, note=why)
    seen = observe.read(chosen, evidence, call)
    databases = services.dumps(box, task, test, seen)
    return replace(seen, observed=replace(seen.observed, databases=databases))


def folders(task: Task) -> Folders:
    """The folders below test_dir of which the prompt speaks: they exist when the program starts."""
    return tuple(sorted({a or b for a, b in _FOLDER.findall(task.prompt)}))
