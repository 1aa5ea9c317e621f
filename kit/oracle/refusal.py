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
    task = case.task
    evidence = case.evidence
    observed = evidence.observed
    if evidence.raised:
        return _of_exception(case, evidence.raised)
    if observed.kind == "response" and observed.response is not None:
        return _of_response(task, observed.response)
    if observed.kind == "value":
        if isinstance(observed.value, list) and observed.value and list_steps(case.test.input):
            return _of_several(task, observed.value)
        return _of_value(task, observed.value)
    if observed.kind == "output":
        return _of_output(task, evidence)
    return Refusal(Kind.SILENT)


def _of_exception(case: Case, raised: Raised) -> Refusal:
    if exceptions.is_host_unreachable(raised):
        return Refusal(Kind.UNREACHED)
    is_defined = any(text and text in raised.message for text in error_texts(case.task))
    if exceptions.find_accident(case, case.task.prompt):
        return Refusal(Kind.FAULT, is_defined)
    if exceptions.is_worded_by_runtime(raised):
        return Refusal(Kind.CHANCE, is_defined)
    return Refusal(Kind.REFUSED, is_defined)


def is_deliberate(case: Case) -> bool:
    """Whether an exception is the program's refusal, not an error of the system or interpreter.

    It is one that the program itself raised, that the task or the test names, or a library's. The
    probe `refuses` asks this; `classify_answer` is milder, for it looks at the message alone.
    """
    evidence = case.evidence
    raised = evidence.raised or Raised("")
    name = raised.name.rpartition(".")[2]
    if evidence.observed.own:
        return True
    if name not in ("Error", "Exception"):
        if re.search(rf"\b{re.escape(name)}\b", f"{case.task.prompt} {case.test.behavior}"):
            return True
    is_of_system = exceptions.is_a(name, "OSError", raised.bases)
    is_of_python = case.language == "python" and name == "TypeError"
    is_worded = exceptions.is_worded_by_runtime(raised) or _RUNTIME.search(raised.message)
    is_lost = name and exceptions.is_host_unreachable(raised)
    if is_of_system or is_of_python or is_worded or is_lost:
        return False
    return not exceptions.find_accident(case)


def list_steps(value: Any) -> list[Any]:
    """The calls or requests of an input that has several, in order; [] for any other."""
    if not isinstance(value, Mapping):
        return []
    for key in ("calls", "requests"):
        steps = value.get(key)
        if isinstance(steps, list):
            return steps
    return []


def split_answers(case: Case) -> list[Evidence]:
    """The answer to each call or request of the input, as an evidence of its own."""
    evidence = case.evidence
    observed = case.evidence.observed
    of_calls = observed.kind == "value" and list_steps(case.test.input)
    if not isinstance(observed.value, list) or not (of_calls or observed.kind == "response"):
        return [evidence]
    return [replace(evidence, observed=_wrap_answer(observed.kind, a)) for a in observed.value]


def _wrap_answer(kind: str, answer: Any) -> Observed:
    if kind == "response":
        return Observed("response", [answer], response=answer)
    if not isinstance(answer, Mapping) or not isinstance(answer.get("raises"), str):
        return Observed("value", answer)
    return Observed(
        "exception",
        None,
        answer["raises"],
        exceptions.class_names(answer.get("bases")),
        str(answer.get("message", "")),
        own=answer.get("own") is True,
    )


def list_expectations(task: Task) -> list[Any]:
    """Everything that the functional tests expect of one call."""
    expected: list[Any] = []
    for test in task.tests:
        if test.kind != "functional":
            continue
        if list_steps(test.input) and isinstance(test.expected, list):
            expected += test.expected
        else:
            expected.append(test.expected)
    return expected


def refuses(task: Task, answer: Any) -> bool:
    """Whether one answer is a refusal by the functional tests or the prompt."""
    if isinstance(answer, Mapping) and {"status", "body"} <= answer.keys():
        status = answer["status"]
        return isinstance(status, int) and 400 <= status < 500
    if is_empty_answer(answer) or expects_error(answer):
        if answer in list_expectations(task):
            return True
    return _is_task_error(task, answer)


def _of_response(task: Task, response: Mapping[str, Any]) -> Refusal:
    body = str(response.get("body", ""))
    data = facts.json_of(body)
    answer = body if data is None else data
    is_defined = _is_task_error(task, answer)
    status = int(response.get("status") or 0)
    if status >= 500:
        return Refusal(Kind.FAULT, is_defined and not exceptions.traceback_in(body))
    in_body = data.get("status_code") if isinstance(data, Mapping) else None
    if status >= 400 or (isinstance(in_body, int) and in_body >= 400):
        return Refusal(Kind.REFUSED, is_defined)
    return _of_value(task, answer)


def _of_value(task: Task, value: Any) -> Refusal:
    of_exceptions = {"raises", "bases", "message", "own"}
    if isinstance(value, Mapping) and value and value.keys() <= of_exceptions:
        return _of_raised(str(value.get("raises")), task.prompt)
    answer = value
    if isinstance(value, str) and value.lstrip().startswith(("{", "[")):
        data = facts.json_of(value)
        answer = value if data is None else data
    is_defined = _is_task_error(task, answer)
    if is_defined or _says_no(answer):
        return Refusal(Kind.REFUSED, is_defined)
    # (body, status), as a route returns it
    is_pair = isinstance(answer, list) and len(answer) == 2 and isinstance(answer[1], int)
    if is_pair and 400 <= answer[1] < 500:
        return Refusal(Kind.REFUSED, _is_task_error(task, answer[0]))
    return Refusal(Kind.NEGATIVE if is_empty_answer(answer) else Kind.ANSWERED)


def is_empty_answer(value: Any) -> bool:
    """Whether an answer gives nothing: null, false, an empty text or list, or a list of these."""
    leaves = facts.collect_leaves(value)
    for leaf in leaves:
        if leaf is not None and leaf is not False and leaf != "":
            return False
    return bool(leaves) or not value


def _of_raised(name: str, prompt: str) -> Refusal:
    """The refusal of an exception in a list of results, of which the message is not known."""
    if re.search(rf"\b{re.escape(name)}\b", prompt):
        return Refusal(Kind.REFUSED)
    if name in exceptions.ACCIDENTS:
        return Refusal(Kind.FAULT)
    return Refusal(Kind.CHANCE if name == "TypeError" else Kind.REFUSED)


def _of_several(task: Task, values: list[Any]) -> Refusal:
    """Several answers: what all of them are, or mixed."""
    by_kind: dict[Kind, Refusal] = {}  # the first of each
    for value in values:
        refusal = _of_value(task, value)
        by_kind.setdefault(refusal.kind, refusal)
    for kind in (Kind.FAULT, Kind.CHANCE):
        if kind in by_kind:
            return by_kind[kind]
    if len(by_kind) == 1:
        return next(iter(by_kind.values()))
    if by_kind.keys() <= {Kind.REFUSED, Kind.NEGATIVE}:
        return Refusal(Kind.NEGATIVE)
    return Refusal(Kind.MIXED if Kind.REFUSED in by_kind else Kind.ANSWERED)


def _says_no(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) < 300 and bool(_SAYS_NO.match(value))
    if not isinstance(value, Mapping):
        return False
    states = {str(value.get(key, "")).lower() for key in ("status", "type", "result")}
    if states & _STATES_NO or any(map(value.get, _LISTS_NO)):
        return True
    return any(value.get(key) is False for key in _FLAGS)


def _is_task_error(task: Task, value: Any) -> bool:
    """Whether the answer is one of the error texts of the task, or an object that holds one."""
    texts = set(map(str.strip, error_texts(task)))
    for leaf in facts.collect_leaves(value):
        if isinstance(leaf, str) and leaf.strip() in texts:
            return True
    return False


def _of_output(task: Task, evidence: Evidence) -> Refusal:
    out, err = evidence.out.strip(), evidence.err.strip()
    if exceptions.traceback_in(err):
        return Refusal(Kind.FAULT)
    data = facts.json_of(out)
    if isinstance(data, (Mapping, list)):
        return _of_value(task, data)
    is_defined = _is_task_error(task, [out, err])
    says_no = any(map(_says_no, (*out.splitlines()[-1:], *err.splitlines()[:1])))
    if is_defined or says_no or evidence.exit_code:
        return Refusal(Kind.REFUSED, is_defined)
    return Refusal(Kind.ANSWERED if out else Kind.NEGATIVE)
