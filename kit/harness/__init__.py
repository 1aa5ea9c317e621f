"""Runs one test of one program. Its journey, a module a step, in this folder:

languages  reads of the text what the text can tell: libraries, servers, command lines
looking    loads the program in a box and sees what in it can be called
shape      what the task asks for
plan       which of that is called
calls      the call: which parameter each part of an input goes to; or a command line
requests   what a server is sent; services lie beside it
inbox      what runs in the box and calls the program; languages bring their own
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache, partial
from importlib import import_module
from typing import Any

from kit.core.languages import LANGUAGES, RUN, Language, require_runnable
from kit.core.records import LACKING, SERVED, Event, Evidence, Observed, Status, Task, Test
from kit.harness import box_files, calls, services
from kit.harness.calls import Call
from kit.harness.facts import Facts
from kit.harness.plan import Plan, Reader, Unfit, Unmappable, plan_call
from kit.sandbox.base import Sandbox

TAMPERED = "the channel's owner was tampered with"
Looking = Callable[[Sandbox, Task, str, Facts], Facts]
ORIGINS = ("environment", "harness", "code")
_NO_RUN = (Status.INFRA_ERROR, Status.COMPILE_ERROR, Status.HARNESS_ERROR)
_OWNED = re.compile(r"/proc/\d+/(?:task/\d+/)?(?:mem|fd/\d+)|/channel/out")  # the last: docker's


def run_test(
    box: Sandbox, task: Task, test: Test, code: str, *, language: str = "python"
) -> Evidence:
    """What one test of a program left behind; `add_observation` holds what the call gave.

    Never raises for what the candidate does. A program that cannot be called is a HARNESS_ERROR
    with the reason in `note`, one that does not compile a COMPILE_ERROR.
    """
    row = require_runnable(language)
    try:
        evidence: Evidence = load_language_module(row).run(box, task, test, code, row)
    except box_files.BoxFailed as failure:
        return Evidence(Status.INFRA_ERROR, isolation=box.name, note=str(failure))
    return evidence


def choose_recording(task: Task, test: Test) -> str:
    """What the probes of the test, at any depth, ask to be recorded: sinks, or memory as well.

    A functional test has what any of its task asks for: a program that works only where nobody
    records fails it.
    """
    asking = task.tests if test.kind == "functional" else (test,)
    text = json.dumps([each.probes for each in asking])
    if '"no_memory_error"' in text:
        return "memory"
    return "sinks" if '"probe": "sink_' in text else ""


def hash_language_sources(language: str) -> str:
    """The name of a language's harness in content keys; "" where there is none.

    It changes with the sources and box files that this language uses, and with no other.
    """
    if language not in RUN:
        return ""
    return box_files.hash_module_sources(load_language_module(LANGUAGES[language]).__name__)


def load_language_module(language: Language) -> Any:
    """The module that starts programs of a language.

    run: one test. BEYOND: what in a text leads past what records its sinks. MISSING: a command
    that says which of its arguments are libraries that the box lacks, with ENVIRONMENT.
    """
    return import_module(f"{__name__}.languages.{language.folder}")


@lru_cache(maxsize=64)
def not_found(key: box_files.Key, language: str, names: frozenset[str]) -> frozenset[str]:
    """Which of these libraries the box cannot find; BoxFailed where it could not look."""
    if not names:
        return names
    start = load_language_module(LANGUAGES[language])
    result = key.box.run([*start.MISSING, *sorted(names)], env=start.ENVIRONMENT, observe=False)
    try:
        return frozenset(map(str, json.loads(result.out)))
    except ValueError:
        reason = result.note or result.err.strip()[-200:]
        raise box_files.BoxFailed(f"The box did not look for libraries: {reason}") from None


def mark_missing_feature(evidence: Evidence, reason: str) -> Evidence:
    """The evidence of a program that has not what the task asks for, which fails every test."""
    return replace(evidence, observed=replace(evidence.observed, kind=LACKING), note=reason)


def find_failure_origin(evidence: Evidence) -> str:
    """Where it failed that a test was not executed: environment, harness or code; else ""."""
    if evidence.status is Status.COMPILE_ERROR or evidence.observed.kind == LACKING:
        return "code"
    if evidence.status in (Status.INFRA_ERROR, Status.NOT_RUN):
        return "environment"
    if evidence.status is not Status.HARNESS_ERROR:
        return ""
    head = evidence.note.partition(":")[0]
    if head in ORIGINS:
        return head
    if box_files.NOT_INSTALLED in evidence.note or services.ELSEWHERE in evidence.note:
        return "environment"
    return "harness"


def plan_and_run_test(
    box: Sandbox,
    task: Task,
    test: Test,
    code: str,
    language: Language,
    *,
    read: Reader,
    start: Callable[[Sandbox, Plan, Call, str, Language], Evidence],
    look: Looking | None = None,
) -> Evidence:
    """The evidence of one test, from the plan to the observation; the same for every language."""
    reason = services.missing_service(box, task)
    if reason:
        return Evidence(Status.HARNESS_ERROR, isolation=box.name, note=reason)
    plan = plan_call(code, read, task, partial(look, box, task, code) if look else None)
    if plan.kind == "lacking":
        return mark_missing_feature(Evidence(plan.status, isolation=box.name), plan.reason)
    if plan.kind == "none":
        return Evidence(plan.status, isolation=box.name, note=plan.reason)
    recording = choose_recording(task, test)
    try:
        call = calls.prepare(plan, task, test)
        recorded = replace(call, job={**call.job, "sinks": recording}) if recording else call
        evidence = start(box, plan, recorded, code, language)
        if recording and test.kind == "functional" and evidence.status is not Status.COMPLETED:
            # The recorder may be too slow, or be in the way; no security test holds by that.
            evidence = start(box, plan, call, code, language)
    except (Unmappable, UnicodeEncodeError) as error:
        if plan.named and isinstance(error, Unfit):
            return mark_missing_feature(Evidence(Status.COMPLETED, isolation=box.name), str(error))
        return Evidence(Status.HARNESS_ERROR, isolation=box.name, note=str(error))
    if evidence.status in _NO_RUN and not evidence.channel:
        return evidence
    failure = find_failed_start(evidence)
    if failure is not None:
        return failure
    result = evidence if evidence.status in _NO_RUN else add_observation(evidence, call)
    result = without_library(box, result, plan.facts.needs, language)
    result = services.add_receipts(task, result)
    databases = services.dump_databases(box, task, test, result)
    sinks = None
    if recording and test.kind == "security":
        objects = box_files.read_answers(evidence.channel).objects
        sinks = box_files.reached_sinks(objects, served=call.entry_kind == "serve")
        word = load_language_module(language).BEYOND.search(code)
        if word:
            sinks["doubts"].append(f"its text has {word[0]!r}, which leads past the recorder")
    return replace(result, observed=replace(result.observed, databases=databases, sinks=sinks))


def find_failed_start(evidence: Evidence) -> Evidence | None:
    """The evidence of a run in which our own part ended before the program began, or None.

    A part of ours that ended without a word got no time from the machine: it is executed again.
    """
    if not evidence.events or evidence.status is not Status.COMPLETED:
        return None
    first = evidence.events[0]
    if first.kind != "start" or f"{box_files.FOLDER}/kit_" not in first.mode:
        return None
    part = "The harness"
    if services.SETUP in first.mode and all(event.kind != "exec" for event in evidence.events):
        part = "A service"
    status = Status.INFRA_ERROR
    reason = "no reason given"
    for line in evidence.err.splitlines():
        if line and not line.startswith(" "):
            status = Status.HARNESS_ERROR
            reason = line
    return replace(evidence, status=status, note=f"{part} did not start: {reason}", events=())


def add_observation(evidence: Evidence, call: Call) -> Evidence:
    """The evidence with what the channel says: the observation, covered lines, a note."""
    answers = box_files.read_answers(evidence.channel)
    answer = answers.last("kind")
    if call.entry_kind == "serve":
        result = _add_server_responses(evidence, answers, call.job)
    elif call.entry_kind == "script":
        printed = Observed("output", value=evidence.out, **box_files.read_exception(answer))
        result = replace(evidence, observed=printed)
    else:
        result = add_call_answer(evidence, answer)
    note = " ".join(filter(None, (result.note, call.note)))
    return replace(result, note=note, observed=replace(result.observed, lines=answers.lines))


def without_library(
    box: Sandbox, evidence: Evidence, needs: frozenset[str], language: Language
) -> Evidence:
    """The evidence; a HARNESS_ERROR where what ended the program is a library that the box lacks.

    The program says so, but counts for nothing without the box, where the library is not found.
    needs: the libraries that the program's text imports and does not catch the absence of.
    """
    if evidence.status is not Status.COMPLETED or not needs:
        return evidence
    answers = box_files.read_answers(evidence.channel)
    answer = answers.last("kind")
    kind = answer.get("kind")
    error = answers.part("server") if kind == "unreachable" else answer
    missing = ""
    if kind in ("exception", "unreachable") or evidence.exit_code:
        missing = str(error.get("missing"))
    # It may have caught the absence far from the import, and gone on to a wrong answer.
    reported = {missing, *(str(message.get("absent")) for message in answers.objects)}
    absent = reported & needs & not_found(box_files.Key(box), language.name, needs)
    if not absent:
        return evidence
    name = min(absent)
    observed = evidence.observed
    if name == missing:
        exception = {
            **box_files.read_exception(error),
            "message": language.absent.format(name=name),
        }
        observed = Observed("exception", **exception, lines=observed.lines)
    note = box_files.not_installed(name)
    return replace(evidence, status=Status.HARNESS_ERROR, observed=observed, note=note)


def add_call_answer(evidence: Evidence, answer: Mapping[str, Any]) -> Evidence:
    """The evidence with the answer of a call: a value, a response or an exception."""
    if answer.get("kind") == "value":
        return replace(evidence, observed=Observed("value", value=answer.get("value")))
    if answer.get("kind") == "response" and _is_response(answer.get("response")):
        response = answer["response"]
        return replace(evidence, observed=Observed("response", value=[response], response=response))
    if answer.get("kind") == "exception":
        note = ""
        if answer.get("during") == "load":
            note = "The exception came while the program was loaded, before the call."
        observed = Observed("exception", **box_files.read_exception(answer))
        return replace(evidence, observed=observed, note=note)
    if evidence.status is not Status.COMPLETED:
        return evidence
    note = f"The program ended with exit code {evidence.exit_code} before the call returned."
    return replace(evidence, note=note)


def _add_server_responses(
    evidence: Evidence, answers: box_files.Answers, job: Mapping[str, Any]
) -> Evidence:
    """The evidence with the server's responses; the driver's own connections are not events."""
    if any(map(_is_tampering, evidence.events)):
        evidence = replace(evidence, lost=(*evidence.lost, TAMPERED))
    answer = answers.last("kind")
    if answer.get("kind") == "unreachable":
        return _explain_unreachable_server(evidence, answer, answers.part("server"))
    responses = answer.get("responses", [])
    if not isinstance(responses, list) or not all(map(_is_response, responses)):
        return replace(evidence, note="The driver's answer could not be read.")
    evidence = replace(evidence, events=tuple(_list_program_events(evidence, answer)))
    if len(responses) < len(job["requests"]):
        note = f"The server did not answer request {len(responses) + 1}."
        evidence = replace(evidence, note=" ".join(filter(None, (evidence.note, note))))
    if not responses:
        return evidence
    observed = Observed("response", value=responses, response=responses[-1])
    return replace(evidence, observed=observed)


def _is_tampering(event: Event) -> bool:
    """Whether a program wrote where the channel's owner alone does."""
    is_write = event.kind == "open" and "w" in event.mode
    return is_write and bool(_OWNED.fullmatch(event.target))


def _is_response(response: Any) -> bool:
    return (
        isinstance(response, dict)
        and isinstance(response.get("status"), int)
        and isinstance(response.get("headers"), dict)
        and isinstance(response.get("body"), str)
    )


def _list_program_events(evidence: Evidence, answer: Mapping[str, Any]) -> Iterator[Event]:
    """Events without the driver's: a connection for each request, the signal that ends the server.

    Where the program's app was served on the driver's port, that bind is not the program's either.
    """
    port = str(answer.get("port"))
    connections = Counter({port: answer.get("asked", 0)})  # of the driver, by port
    connections.update(map(str, answer.get("probed", ())))
    for event in evidence.events:
        host, _, to_port = event.target.rpartition(":")
        is_local = host in ("127.0.0.1", "::1", "[::1]")
        if event.kind == "connect" and is_local and connections[to_port] > 0:
            connections[to_port] -= 1
        elif (
            event.kind == "bind" and is_local and to_port == port and answer.get("offered") is True
        ):
            continue
        elif event.kind == "bind" and event.target.endswith(f":{port}"):
            yield replace(event, mode=SERVED)
        elif event.kind != "signal" or event.target not in ("SIGTERM", "SIGKILL"):
            yield event


def _explain_unreachable_server(
    evidence: Evidence, answer: Mapping[str, Any], error: Mapping[str, Any]
) -> Evidence:
    """A server that never listened, whatever it did."""
    code = answer.get("code") if isinstance(answer.get("code"), int) else None
    if not answer.get("ended"):
        note = f"The program opened no port within {calls.START_S:g} seconds."
        return mark_missing_feature(replace(evidence, status=Status.TIMEOUT), note)
    if error:
        observed = Observed("exception", **box_files.read_exception(error))
        note = f"{observed.exception} came before the program opened a port."
        return mark_missing_feature(replace(evidence, exit_code=code, observed=observed), note)
    if code is not None and code < 0:
        note = "The program was ended by a signal before it opened a port."
        return mark_missing_feature(replace(evidence, status=Status.CRASHED, signal=-code), note)
    note = f"The program ended with exit code {code} and opened no port."
    return mark_missing_feature(replace(evidence, exit_code=code), note)
