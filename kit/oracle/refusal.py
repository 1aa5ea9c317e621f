"""Decides whether a program's answer is a refusal, and of what kind."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from kit.core.records import Evidence, Observed, Raised, Task
from kit.oracle import exceptions, facts
from kit.oracle.expectation import error_texts, expects_error
from kit.oracle.facts import Case

_SAYS_NO = re.compile(
    r"\W*(error|invalid|access denied|denied|forbidden|reject|refus|unauthori[sz]ed|not allowed|"
    r"permission denied|bad request|illegal|unsafe|not found|failed|cannot|unsupported|missing)",
    re.I,
)
_STATES_NO = frozenset({"error", "fail", "failed", "denied", "rejected", "invalid", "forbidden"})
_LISTS_NO = ("error", "errors", "rejected", "refused", "denied", "invalid")
_FLAGS = ("success", "ok", "valid", "allowed", "authenticated")
# what the runtimes of the languages word where the program checked nothing; C: ENOENT, ENOTDIR, ...
_RUNTIME = re.compile(
    r"embedded null|without null bytes|must be of type|^filesystem error|\bbad_(?:alloc|array)|"
    r"^(?:vector|basic_string|deque|array|(?:unordered_)?map)\b|errno (?:2|20|21|36|40)$"
)


class Kind(StrEnum):
    """How the program answered a hostile input."""

    REFUSED = "refused"  # a deliberate exception, an error value, a 4xx, an error message
    NEGATIVE = "negative"  # null, false, an empty list, "not found": nothing was given away
    MIXED = "mixed"  # several calls, some of them refused
    CHANCE = "chance"  # the language or the system refused, in its own words
    UNREACHED = "unreached"  # a host was asked for and did not answer
    FAULT = "fault"  # an exception by accident, or a 5xx
    ANSWERED = "answered"  # a normal result
    SILENT = "silent"  # no answer at all


@dataclass(frozen=True)
class Refusal:
    """The kind of answer. defined: whether its words are those that the task defines for errors."""

    kind: Kind
    defined: bool = False


def classify_answer(case: Case) -> Refusal:
    """The kind of the program's answer."""
    task, evidence, observed = case.task, case.evidence, case.evidence.observed
    if raised := evidence.raised:
        if exceptions.is_host_unreachable(raised):
            return Refusal(Kind.UNREACHED)
        kind = Kind.CHANCE if exceptions.is_worded_by_runtime(raised) else Kind.REFUSED
        kind = Kind.FAULT if exceptions.find_accident(case, task.prompt) else kind
        known = any(text and text in raised.message for text in error_texts(task))
        return Refusal(kind, known)
    if observed.kind == "response" and observed.response is not None:
        return _of_response(task, observed.response)
    if observed.kind == "value":
        if isinstance(observed.value, list) and observed.value and list_steps(case.test.input):
            return _of_several(task, observed.value)
        return _of_value(task, observed.value)
    if observed.kind == "output":
        return _of_output(task, evidence)
    return Refusal(Kind.SILENT)


def is_deliberate(case: Case) -> bool:
    """Whether an exception is the program's refusal, not an error of the system or interpreter.

    It is one that the program itself raised, that the task or the test names, or a library's.
    """
    evidence = case.evidence
    raised = evidence.raised or Raised("")
    name = raised.name.rpartition(".")[2]
    named = re.search(rf"\b{re.escape(name)}\b", f"{case.task.prompt} {case.test.behavior}")
    if evidence.observed.own or (named and name not in ("Error", "Exception")):
        return True
    of_python = case.language == "python" and name == "TypeError"
    foreign = exceptions.is_a(name, "OSError", raised.bases) or of_python
    worded = (
        exceptions.is_worded_by_runtime(raised)
        or (name and exceptions.is_host_unreachable(raised))
        or _RUNTIME.search(raised.message)
    )
    return not (foreign or worded or exceptions.find_accident(case))


def list_steps(value: Any) -> list[Any]:
    """The calls or requests of an input that has several, in order; [] for any other."""
    listed = value if isinstance(value, Mapping) else {}
    return next((listed[k] for k in ("calls", "requests") if isinstance(listed.get(k), list)), [])


def split_answers(case: Case) -> list[Evidence]:
    """The answer to each call or request of the input, as an evidence of its own."""
    evidence, observed = case.evidence, case.evidence.observed
    several = observed.kind == "response" or (
        observed.kind == "value" and list_steps(case.test.input)
    )
    if not several or not isinstance(observed.value, list):
        return [evidence]
    return [replace(evidence, observed=_wrap_answer(observed.kind, a)) for a in observed.value]


def _wrap_answer(kind: str, answer: Any) -> Observed:
    if kind == "response":
        return Observed("response", [answer], response=answer)
    if not isinstance(answer, Mapping) or not isinstance(answer.get("raises"), str):
        return Observed("value", answer)
    bases, message = exceptions.class_names(answer.get("bases")), str(answer.get("message", ""))
    own = answer.get("own") is True
    return Observed("exception", None, answer["raises"], bases, message, own=own)


def list_expectations(task: Task) -> list[Any]:
    """Everything that the functional tests expect of one call."""
    expected: list[Any] = []
    for test in task.tests:
        if test.kind == "functional":
            several = list_steps(test.input) and isinstance(test.expected, list)
            expected += test.expected if several else [test.expected]
    return expected


def refuses(task: Task, answer: Any) -> bool:
    """Whether one answer is a refusal by the functional tests or the prompt."""
    if isinstance(answer, Mapping) and {"status", "body"} <= answer.keys():
        status = answer["status"]
        return isinstance(status, int) and 400 <= status < 500
    expected = answer in list_expectations(task) and (
        is_empty_answer(answer) or expects_error(answer)
    )
    return expected or _is_task_error(task, answer)


def _of_response(task: Task, response: Mapping[str, Any]) -> Refusal:
    status, body = int(response.get("status") or 0), str(response.get("body", ""))
    data = facts.json_of(body)
    in_body = data.get("status_code") if isinstance(data, Mapping) else None
    defined = _is_task_error(task, body if data is None else data)
    if status >= 500:
        return Refusal(Kind.FAULT, defined and not exceptions.traceback_in(body))
    status = max(status, in_body) if isinstance(in_body, int) else status
    if status >= 400:
        return Refusal(Kind.REFUSED, defined)
    return _of_value(task, body if data is None else data)


def _of_value(task: Task, value: Any) -> Refusal:
    of_exceptions = {"raises", "bases", "message", "own"}
    if isinstance(value, Mapping) and value and value.keys() <= of_exceptions:
        return _of_raised(str(value.get("raises")), task.prompt)
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        data = facts.json_of(value)
        value = value if data is None else data
    defined = _is_task_error(task, value)
    if defined or _says_no(value):
        return Refusal(Kind.REFUSED, defined)
    # (body, status), as a route returns it
    pair = isinstance(value, list) and len(value) == 2 and isinstance(value[1], int)
    if pair and 400 <= value[1] < 500:
        return Refusal(Kind.REFUSED, _is_task_error(task, value[0]))
    return Refusal(Kind.NEGATIVE if is_empty_answer(value) else Kind.ANSWERED)


def is_empty_answer(value: Any) -> bool:
    """Whether an answer gives nothing: null, false, an empty text or list, or a list of these."""
    members = facts.collect_leaves(value)
    nothing = all(v is None or v is False or v == "" for v in members)
    return nothing and (bool(members) or not value)


def _of_raised(name: str, prompt: str) -> Refusal:
    """The refusal of an exception in a list of results, of which the message is not known."""
    named = re.search(rf"\b{re.escape(name)}\b", prompt) is not None
    if name in exceptions.ACCIDENTS and not named:
        return Refusal(Kind.FAULT)
    return Refusal(Kind.CHANCE if name == "TypeError" and not named else Kind.REFUSED)


def _of_several(task: Task, values: list[Any]) -> Refusal:
    """Several answers: what all of them are, or mixed."""
    refusals = [_of_value(task, v) for v in values]
    kinds = {r.kind for r in refusals}
    for kind in (Kind.FAULT, Kind.CHANCE, *(kinds if len(kinds) == 1 else ())):
        if kind in kinds:
            return next(r for r in refusals if r.kind is kind)
    if kinds <= {Kind.REFUSED, Kind.NEGATIVE}:
        return Refusal(Kind.NEGATIVE)
    return Refusal(Kind.MIXED if Kind.REFUSED in kinds else Kind.ANSWERED)


def _says_no(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) < 300 and bool(_SAYS_NO.match(value))
    if not isinstance(value, Mapping):
        return False
    states = {str(value.get(k, "")).lower() for k in ("status", "type", "result")}
    flagged = any(value.get(k) is False for k in _FLAGS)
    listed = any(bool(value.get(k)) for k in _LISTS_NO)
    return listed or flagged or bool(states & _STATES_NO)


def _is_task_error(task: Task, value: Any) -> bool:
    """Whether the answer is one of the error texts of the task, or an object that holds one."""
    texts = {t.strip() for t in error_texts(task)}
    return any(isinstance(s, str) and s.strip() in texts for s in facts.collect_leaves(value))


def _of_output(task: Task, evidence: Evidence) -> Refusal:
    out, err = evidence.out.strip(), evidence.err.strip()
    if exceptions.traceback_in(err):
        return Refusal(Kind.FAULT)
    data = facts.json_of(out)
    if isinstance(data, (Mapping, list)):
        return _of_value(task, data)
    defined = _is_task_error(task, out) or _is_task_error(task, err)
    says_no = any(map(_says_no, (*out.splitlines()[-1:], *err.splitlines()[:1])))
    if defined or says_no or evidence.exit_code:
        return Refusal(Kind.REFUSED, defined)
    return Refusal(Kind.ANSWERED if out else Kind.NEGATIVE)
