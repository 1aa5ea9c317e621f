"""One test of one program from the plan to the evidence; the same for every language."""

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from kit.harness import box_files, calls, services
from kit.harness.arguments import Unmappable
from kit.harness.calls import Call
from kit.harness.plan import Plan, Reader, plan
from kit.records import Event, Evidence, Observed, Status, Task, Test
from kit.sandbox.base import Sandbox

Folders = tuple[str, ...]
Start = Callable[[Sandbox, Plan, Call, str, Folders], Evidence]
_NOTHING = (Status.INFRA_ERROR, Status.COMPILE_ERROR, Status.HARNESS_ERROR)
TAMPERED = "the channel's owner was tampered with"
_OWNED = re.compile(r"/proc/\d+/(?:task/\d+/)?(?:mem|fd/\d+)|/channel/out")  # the last: docker's
_FOLDER = re.compile(r"(?<![\w/.-])(?:\./)?(test_dir(?:/[\w-]+)*)/|(?<![\w/.-])(test_dir)\b")


def run(box: Sandbox, task: Task, test: Test, code: str, *, read: Reader, start: Start) -> Evidence:
    """The evidence of one test; what the candidate does never raises here."""
    chosen = plan(code, read, task)
    if chosen.kind == "none":
        return Evidence(chosen.status, isolation=box.name, note=chosen.reason)
    if reason := services.missing_service(box, task):
        return Evidence(Status.HARNESS_ERROR, isolation=box.name, note=reason)
    try:
        call = calls.prepare(chosen, task, test)
        evidence = start(box, chosen, call, code, folders(task))
    except (Unmappable, UnicodeEncodeError) as error:
        return Evidence(Status.HARNESS_ERROR, isolation=box.name, note=str(error))
    if evidence.status in _NOTHING:
        return evidence
    if reason := unbegun(evidence):
        return replace(evidence, status=Status.HARNESS_ERROR, note=reason)
    result = observed(chosen, evidence, call)
    databases = services.dumps(box, task, test, result)
    return replace(result, observed=replace(result.observed, databases=databases))


def folders(task: Task) -> Folders:
    """The folders below test_dir of which the prompt speaks: they exist when the program starts."""
    return tuple(sorted({a or b for a, b in _FOLDER.findall(task.prompt)}))


def unbegun(evidence: Evidence) -> str:
    """Why our own part ended before the program began, or ""; its exec is then still an event."""
    first = next(iter(evidence.events), None)
    if first is None or first.kind != "start" or f"{box_files.FOLDER}/kit_" not in first.mode:
        return ""
    if evidence.status is not Status.COMPLETED:
        return ""
    service = services.SETUP in first.mode and all(e.kind != "exec" for e in evidence.events)
    own = "A service" if service else "The harness"
    lines = [line for line in evidence.err.splitlines() if line and not line.startswith(" ")]
    return f"{own} did not start: {lines[-1] if lines else 'no reason given'}"


def observed(chosen: Plan, evidence: Evidence, call: Call) -> Evidence:
    """The evidence with what the channel says: the observation, covered lines, a note."""
    answers = box_files.answers(evidence.channel)
    answer = answers.last("kind")
    if call.entry_kind == "serve":
        result = _responses(evidence, answers, call.job)
    elif call.entry_kind == "script":
        printed = Observed("output", value=evidence.out, **box_files.raised(answer))
        result = replace(evidence, observed=printed)
    else:
        result = _returned(evidence, answer)
    error = answers.last("missing") or answers.part("server")
    name = str(error.get("missing") or "")
    imports = chosen.facts.imports if chosen.facts else frozenset()
    if name in imports and "." not in name and name not in sys.stdlib_module_names:
        note = f"The program imports {name}, which is not installed in the box."
        result = replace(result, status=Status.HARNESS_ERROR, note=note)
    note = " ".join(filter(None, (result.note, call.note)))
    return replace(result, note=note, observed=replace(result.observed, lines=answers.lines))


def _returned(evidence: Evidence, answer: Mapping[str, Any]) -> Evidence:
    if answer.get("kind") == "value":
        return replace(evidence, observed=Observed("value", value=answer.get("value")))
    if answer.get("kind") == "response" and _readable(answer.get("response")):
        response = answer["response"]
        return replace(evidence, observed=Observed("response", value=[response], response=response))
    if answer.get("kind") == "exception":
        loading = answer.get("during") == "load"
        note = (
            "The exception came while the program was loaded, before the call." if loading else ""
        )
        return replace(
            evidence, observed=Observed("exception", **box_files.raised(answer)), note=note
        )
    note = evidence.note
    if evidence.status is Status.COMPLETED:
        note = f"The program ended with exit code {evidence.exit_code} before the call returned."
    return replace(evidence, note=note)


def _responses(evidence: Evidence, answers: box_files.Answers, sent: Mapping[str, Any]) -> Evidence:
    """The evidence with the server's responses; the driver's own connections are not events."""
    if any(e.kind == "open" and "w" in e.mode and _OWNED.fullmatch(e.target)
           for e in evidence.events):  # fmt: skip
        evidence = replace(evidence, lost=(*evidence.lost, TAMPERED))
    answer = answers.last("kind")
    if answer.get("kind") == "unreachable":
        return _unreachable(evidence, answer, answers.part("server"))
    responses = answer.get("responses", [])
    if not isinstance(responses, list) or not all(map(_readable, responses)):
        return replace(evidence, note="The driver's answer could not be read.")
    evidence = replace(evidence, events=tuple(_programs_events(evidence, answer)))
    if len(responses) < len(sent["requests"]):
        note = f"The server did not answer request {len(responses) + 1}."
        evidence = replace(evidence, note=" ".join(filter(None, (evidence.note, note))))
    if not responses:
        return evidence
    observed = Observed("response", value=responses, response=responses[-1])
    return replace(evidence, observed=observed)


def _readable(response: Any) -> bool:
    kinds = {"status": int, "headers": dict, "body": str}
    return isinstance(response, dict) and all(
        isinstance(response.get(key), kind) for key, kind in kinds.items()
    )


def _programs_events(evidence: Evidence, answer: Mapping[str, Any]) -> Iterator[Event]:
    """Events without the driver's: a connection for each request, the signal that ends the server.

    Where the program's app was served on the driver's port, that bind is not the program's either.
    """
    port, asked = answer.get("port"), answer.get("asked")
    left = asked if isinstance(asked, int) else 0
    own = {f"127.0.0.1:{port}", f"::1:{port}", f"[::1]:{port}"}
    for event in evidence.events:
        if event.kind == "connect" and event.target in own and left > 0:
            left -= 1
        elif event.kind == "bind" and event.target in own and answer.get("offered") is True:
            continue
        elif event.kind != "signal" or event.target not in ("SIGTERM", "SIGKILL"):
            yield event


def _unreachable(
    evidence: Evidence, answer: Mapping[str, Any], error: Mapping[str, Any]
) -> Evidence:
    """A server that never listened: its exception, its exit, or our ignorance how to start it."""
    code = answer.get("code") if isinstance(answer.get("code"), int) else None
    if not answer.get("ended"):
        note = f"The program opened no port within {calls.START_S:g} seconds."
        return replace(evidence, status=Status.TIMEOUT, note=note)
    if error:
        observed = Observed("exception", **box_files.raised(error))
        note = "The exception came before the program opened a port."
        return replace(evidence, exit_code=code, observed=observed, note=note)
    if code is not None and code < 0:
        note = "The program was ended by a signal before it opened a port."
        return replace(evidence, status=Status.CRASHED, signal=-code, note=note)
    note = f"The program ended with exit code {code} and opened no port."
    status = evidence.status if code else Status.HARNESS_ERROR
    return replace(evidence, status=status, exit_code=code, note=note)
