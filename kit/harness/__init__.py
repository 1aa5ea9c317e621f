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
    text = json.dumps([one.probes for one in asking])
    return "memory" if '"no_memory_error"' in text else "sinks" * ('"probe": "sink_' in text)


def hash_language_sources(language: str) -> str:
    """The name of a language's harness in content keys; "" where there is none.

    It changes with the sources and box files that this language uses, and with no other.
    """
    return (
        box_files.hash_module_sources(load_language_module(LANGUAGES[language]).__name__)
        if language in RUN
        else ""
    )


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
    named = evidence.note.partition(":")[0]
    if named in ORIGINS:
        return named
    missing = (box_files.NOT_INSTALLED, services.ELSEWHERE)
    return "environment" if any(sentence in evidence.note for sentence in missing) else "harness"


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
    if reason := services.missing_service(box, task):
        return Evidence(Status.HARNESS_ERROR, isolation=box.name, note=reason)
    chosen = plan_call(code, read, task, partial(look, box, task, code) if look else None)
    if chosen.kind == "lacking":
        return mark_missing_feature(Evidence(chosen.status, isolation=box.name), chosen.reason)
    if chosen.kind == "none":
        return Evidence(chosen.status, isolation=box.name, note=chosen.reason)
    try:
        call = calls.prepare(chosen, task, test)
        plain, recording = call, choose_recording(task, test)
        if recording:
            call = replace(call, job={**call.job, "sinks": recording})
        evidence = start(box, chosen, call, code, language)
        if recording and test.kind == "functional" and evidence.status is not Status.COMPLETED:
            # The recorder may be too slow, or be in the way; no security test holds by that.
            evidence = start(box, chosen, plain, code, language)
    except (Unmappable, UnicodeEncodeError) as error:
        if chosen.named and isinstance(error, Unfit):
            return mark_missing_feature(Evidence(Status.COMPLETED, isolation=box.name), str(error))
        return Evidence(Status.HARNESS_ERROR, isolation=box.name, note=str(error))
    if evidence.status in _NO_RUN and not evidence.channel:
        return evidence
    if (failed := find_failed_start(evidence)) is not None:
        return failed
    result = evidence if evidence.status in _NO_RUN else add_observation(evidence, call)
    result = without_library(box, result, chosen.facts.needs, language)
    sinks, databases = None, services.dump_databases(box, task, test, result)
    if recording and test.kind == "security":
        objects = box_files.read_answers(evidence.channel).objects
        sinks = box_files.reached_sinks(objects, served=call.entry_kind == "serve")
        if word := load_language_module(language).BEYOND.search(code):
            sinks["doubts"].append(f"its text has {word[0]!r}, which leads past the recorder")
    return replace(result, observed=replace(result.observed, databases=databases, sinks=sinks))


def find_failed_start(evidence: Evidence) -> Evidence | None:
    """The evidence of a run in which our own part ended before the program began, or None.

    A part of ours that ended without a word got no time from the machine: it is executed again.
    """
    first = next(iter(evidence.events), None)
    if first is None or first.kind != "start" or f"{box_files.FOLDER}/kit_" not in first.mode:
        return None
    if evidence.status is not Status.COMPLETED:
        return None
    service = services.SETUP in first.mode and all(e.kind != "exec" for e in evidence.events)
    own = "A service" if service else "The harness"
    lines = [line for line in evidence.err.splitlines() if line and not line.startswith(" ")]
    status = Status.HARNESS_ERROR if lines else Status.INFRA_ERROR
    reason = lines[-1] if lines else "no reason given"
    return replace(evidence, status=status, note=f"{own} did not start: {reason}", events=())


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
    ended_early = kind in ("exception", "unreachable") or bool(evidence.exit_code)
    missing = {str(error.get("missing"))} if ended_early else set()
    # It may have caught the absence far from the import, and gone on to a wrong answer.
    told = missing | {str(line.get("absent")) for line in answers.objects}
    absent = told & needs & not_found(box_files.Key(box), language.name, needs)
    if not absent:
        return evidence
    name = min(absent)
    observed = evidence.observed
    if name in missing:
        raised = {**box_files.read_exception(error), "message": language.absent.format(name=name)}
        observed = Observed("exception", **raised, lines=observed.lines)
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
        before_call = "The exception came while the program was loaded, before the call."
        note = before_call if answer.get("during") == "load" else ""
        raised = Observed("exception", **box_files.read_exception(answer))
        return replace(evidence, observed=raised, note=note)
    if evidence.status is not Status.COMPLETED:
        return evidence
    note = f"The program ended with exit code {evidence.exit_code} before the call returned."
    return replace(evidence, note=note)


def _add_server_responses(
    evidence: Evidence, answers: box_files.Answers, sent: Mapping[str, Any]
) -> Evidence:
    """The evidence with the server's responses; the driver's own connections are not events."""
    if any(
        e.kind == "open" and "w" in e.mode and _OWNED.fullmatch(e.target) for e in evidence.events
    ):
        evidence = replace(evidence, lost=(*evidence.lost, TAMPERED))
    answer = answers.last("kind")
    if answer.get("kind") == "unreachable":
        return _explain_unreachable_server(evidence, answer, answers.part("server"))
    responses = answer.get("responses", [])
    if not isinstance(responses, list) or not all(map(_is_response, responses)):
        return replace(evidence, note="The driver's answer could not be read.")
    evidence = replace(evidence, events=tuple(_programs_events(evidence, answer)))
    if len(responses) < len(sent["requests"]):
        note = f"The server did not answer request {len(responses) + 1}."
        evidence = replace(evidence, note=" ".join(filter(None, (evidence.note, note))))
    if not responses:
        return evidence
    observed = Observed("response", value=responses, response=responses[-1])
    return replace(evidence, observed=observed)


def _is_response(response: Any) -> bool:
    kinds = {"status": int, "headers": dict, "body": str}
    return isinstance(response, dict) and all(
        isinstance(response.get(key), kind) for key, kind in kinds.items()
    )


def _programs_events(evidence: Evidence, answer: Mapping[str, Any]) -> Iterator[Event]:
    """Events without the driver's: a connection for each request, the signal that ends the server.

    Where the program's app was served on the driver's port, that bind is not the program's either.
    """
    port = answer.get("port")
    left = Counter({str(port): answer.get("asked", 0)})
    left.update(map(str, answer.get("probed", ())))
    for event in evidence.events:
        host, _, to = event.target.rpartition(":")
        own = host in ("127.0.0.1", "::1", "[::1]")
        if event.kind == "connect" and own and left[to] > 0:
            left[to] -= 1
        elif event.kind == "bind" and own and to == str(port) and answer.get("offered") is True:
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
