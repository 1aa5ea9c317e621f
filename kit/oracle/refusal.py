"""Whether the program's answer is a refusal, and of what kind."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from kit.oracle.seen import accident, body_json, raised, slip, strings, traceback_in, unreached
from kit.oracle.specified import error_texts
from kit.records import Evidence, Task

_SAYS_NO = re.compile(
    r"\W*(error|invalid|access denied|denied|forbidden|reject|refus|unauthori[sz]ed|not allowed|"
    r"permission denied|bad request|illegal|unsafe|not found|failed|cannot|unsupported|missing)",
    re.I,
)
_STATES_NO = frozenset({"error", "fail", "failed", "denied", "rejected", "invalid", "forbidden"})
_FLAGS = ("success", "ok", "valid", "allowed", "authenticated")


class Kind(StrEnum):
    """How the program answered a hostile input."""

    REFUSED = "refused"  # a deliberate exception, an error value, a 4xx, an error message
    NEGATIVE = "negative"  # null, false, an empty list, "not found": nothing was given away
    CHANCE = "chance"  # the language or the system refused, in its own words
    UNREACHED = "unreached"  # a host was asked for and did not answer
    FAULT = "fault"  # an exception by accident, or a 5xx
    ANSWERED = "answered"  # a normal result
    SILENT = "silent"  # no answer at all


@dataclass(frozen=True)
class Refusal:
    """The kind of answer; `defined` where its words are those that the task defines for errors."""

    kind: Kind
    how: str = ""
    defined: bool = False


def refusal(task: Task, evidence: Evidence) -> Refusal:
    """The kind of the program's answer."""
    seen = evidence.observed
    name, _, message = raised(evidence)
    if name:
        if unreached(evidence):
            return Refusal(Kind.UNREACHED, f"exception {name}")
        kind = Kind.CHANCE if slip(evidence) else Kind.REFUSED
        kind = Kind.FAULT if accident(evidence, task.prompt) else kind
        known = any(t and t in message for t in error_texts(task))
        return Refusal(kind, f"exception {name}", known)
    if seen.kind == "response" and seen.response is not None:
        return _of_response(task, seen.response)
    if seen.kind == "value":
        return _of_value(task, seen.value)
    if seen.kind == "output":
        return _of_output(task, evidence)
    return Refusal(Kind.SILENT)


def _of_response(task: Task, response: Mapping[str, Any]) -> Refusal:
    status, body = int(response.get("status") or 0), str(response.get("body", ""))
    data = body_json(response)
    told = data.get("status_code") if isinstance(data, Mapping) else None
    defined = _defined(task, body if data is None else data)
    if status >= 500:
        return Refusal(Kind.FAULT, f"status {status}", defined and not traceback_in(body))
    if status >= 400 or (isinstance(told, int) and told >= 400):
        return Refusal(Kind.REFUSED, f"status {max(status, told or 0)}", defined)
    return _of_value(task, body if data is None else data)


def _of_value(task: Task, value: Any) -> Refusal:
    defined = _defined(task, value)
    if defined or _says_no(value):
        return Refusal(Kind.REFUSED, "an error value", defined)
    pair = isinstance(value, list) and len(value) == 2 and isinstance(value[1], int)
    if pair and 400 <= value[1] < 500:
        return Refusal(Kind.REFUSED, f"status {value[1]}", _defined(task, value[0]))
    leaves = list(value.values()) if isinstance(value, Mapping) else [value]
    empty = all(v is None or v is False or v == "" or v == [] or v == {} for v in leaves)
    return Refusal(Kind.NEGATIVE if empty else Kind.ANSWERED)


def _says_no(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) < 300 and bool(_SAYS_NO.match(value))
    if not isinstance(value, Mapping):
        return False
    states = {str(value.get(k, "")).lower() for k in ("status", "type", "result")}
    flagged = any(value.get(k) is False for k in _FLAGS)
    return bool(value.get("error")) or flagged or bool(states & _STATES_NO)


def _defined(task: Task, value: Any) -> bool:
    """Whether the answer is one of the error texts of the task, or an object that holds one."""
    texts = {t.strip() for t in error_texts(task)}
    said = strings(value) if isinstance(value, Mapping) else [value]
    return any(isinstance(s, str) and s.strip() in texts for s in said)


def _of_output(task: Task, evidence: Evidence) -> Refusal:
    out, err = evidence.out.strip(), evidence.err.strip()
    if traceback_in(err):
        return Refusal(Kind.FAULT, "a stack trace")
    defined = _defined(task, out) or _defined(task, err)
    said = any(map(_says_no, (*out.splitlines()[-1:], *err.splitlines()[:1])))
    if defined or said or evidence.exit_code:
        return Refusal(Kind.REFUSED, f"an error message, exit code {evidence.exit_code}", defined)
    return Refusal(Kind.ANSWERED if out else Kind.NEGATIVE)
