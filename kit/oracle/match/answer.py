"""answered(expected, evidence) -> (rung or None, why it cannot be compared or "")."""

import json
import re
from collections.abc import Mapping
from typing import Any

from kit.oracle.compare import literal, parsed, printed, same, weakest
from kit.oracle.describe import raised, raised_as, strings
from kit.oracle.match import http
from kit.oracle.match.shape import fits, is_prose, names_properties
from kit.records import Evidence, Reason

STREAMS = frozenset({"stdout", "stderr", "exit_code"})
Answer = tuple[Reason | None, str]
NO: Answer = (None, "")

_CLASS = re.compile(
    r"(?:[A-Za-z_]\w*(?:\.|::))*[A-Z]\w*(?:Error|Exception|Warning|Exit|Interrupt)"
    r"|std::[a-z_]+|KeyboardInterrupt"
)
_ANY_ERROR = re.compile(r"(an? )?(error|exception)s?( or (an? )?(error|exception))\b", re.I)
_NETWORK = re.compile(
    r"URLError|ConnectionError|Timeout|gaierror|ConnectionRefused|ENOTFOUND|fetch"
)


def answered(
    expected: Any, evidence: Evidence, *, prompt: str = "", given: Any = None, language: str
) -> Answer:
    """The rung on which the program's answer, of whatever kind, is the expected one."""
    seen = evidence.observed
    if seen.kind == "value":
        return _value(expected, seen.value, prompt, given)
    if seen.kind == "response":
        return _response(expected, evidence, prompt)
    if classes := expected_classes(expected):
        name, bases, message = raised(evidence)
        if name:
            return _raised(expected, classes, name, bases, message, language)
    if seen.kind == "output":
        return _output(expected, evidence, prompt)
    return _exception(expected, evidence) if seen.kind == "exception" else NO


def expected_classes(expected: Any) -> tuple[str, ...]:
    """The exception classes that an expectation names: {"raises": ...} or a bare class name."""
    if isinstance(expected, Mapping):
        names = next((expected[k] for k in ("raises", "exception", "error") if k in expected), ())
        names = [names] if isinstance(names, str) else names if isinstance(names, list) else []
        explicit = "raises" in expected or "exception" in expected
        return tuple(n for n in names if isinstance(n, str) and (explicit or _CLASS.fullmatch(n)))
    if isinstance(expected, str) and _CLASS.fullmatch(expected.strip()):
        return (expected.strip(),)
    return ()


def _raised(
    expected: Any, classes: tuple[str, ...], name: str, bases: tuple[str, ...], message: str,
    language: str,
) -> Answer:  # fmt: skip
    if not any(raised_as(c, name, bases, language=language) for c in classes):
        return NO
    wanted = expected.get("message") if isinstance(expected, Mapping) else None
    if isinstance(wanted, str) and wanted not in message:
        return NO
    return Reason.EXCEPTION_CLASS, ""


def _exception(expected: Any, evidence: Evidence) -> Answer:
    name, bases, _ = raised(evidence)
    if isinstance(expected, str) and _ANY_ERROR.match(expected.strip()):
        if any(_NETWORK.search(n) for n in (name, *bases)):
            return None, "the network itself may have failed"
        return Reason.EXCEPTION_CLASS, ""
    if expected in ("Error", "Exception"):
        return None, "an exception may or may not be the error that is meant"
    return NO


def _value(expected: Any, value: Any, prompt: str, given: Any) -> Answer:
    rung = same(expected, value)
    if rung is None and isinstance(expected, str):
        rung = literal(expected, value)
    if rung is None and isinstance(expected, Mapping):
        rung = _like_a_response(expected, value) or _further_keys(expected, value, given)
    if rung is not None:
        return rung, ""
    fitting = fits(expected, value, prompt)
    if fitting:
        return Reason.STRUCTURAL, ""
    if fitting is None:
        return None, "the expectation is prose"
    if isinstance(value, str) and isinstance(expected, (Mapping, list)):
        if any(same(expected, v) for v in parsed(value)):
            return None, "the value is a text that says the same"
    return NO


def _like_a_response(expected: Mapping[str, Any], value: Any) -> Reason | None:
    """A function that answers like a web route: an object with status_code, or (body, status)."""
    if "status_code" not in expected:
        return None
    if isinstance(value, Mapping) and "status_code" in value:
        response = {"status": value["status_code"], "body": json.dumps(value)}
    elif isinstance(value, list) and len(value) == 2 and isinstance(value[1], int):
        body = value[0] if isinstance(value[0], str) else json.dumps(value[0])
        response = {"status": value[1], "body": body}
    else:
        return None
    rung = http.agree(expected, response)[0]
    return rung and weakest([rung, Reason.STRUCTURAL])


def _further_keys(expected: Mapping[str, Any], value: Any, given: Any) -> Reason | None:
    """All named keys agree, and what else is there could not have been named.

    That is an object JSON cannot say, or anything beside a "type" and the echo of the input.
    """
    if not isinstance(value, Mapping) or not expected or not expected.keys() < value.keys():
        return None
    extra = [v for k, v in value.items() if k not in expected]
    opaque = all(isinstance(v, Mapping) and "__type__" in v for v in extra)
    inputs = given if isinstance(given, Mapping) else {}
    tagged = isinstance(expected.get("type"), str)
    echo = tagged and all(k == "type" or k in inputs for k in expected)
    if not opaque and not echo:
        return None
    agreed = weakest([same(v, value[k]) for k, v in expected.items()])
    return agreed and weakest([agreed, Reason.STRUCTURAL])


def _response(expected: Any, evidence: Evidence, prompt: str) -> Answer:
    seen = evidence.observed
    several = isinstance(seen.value, list) and all(isinstance(r, Mapping) for r in seen.value)
    if isinstance(expected, list) and several and len(seen.value) == len(expected) > 0:
        if all(isinstance(e, Mapping) and "status_code" in e for e in expected):
            pairs = zip(expected, seen.value, strict=True)
            return weakest([http.agree(e, r, prompt=prompt)[0] for e, r in pairs]), ""
    if seen.response is None:
        return NO
    rung, part = http.agree(expected, seen.response, prompt=prompt)
    if rung is None and part != "status" and any(is_prose(t, prompt) for t in strings(expected)):
        return None, "the expectation is prose"
    return rung, ""


def _output(expected: Any, evidence: Evidence, prompt: str) -> Answer:
    if isinstance(expected, Mapping) and expected and not expected.keys() - STREAMS:
        seen = {"stdout": evidence.out, "stderr": evidence.err}
        parts = [_text(v, seen[k], prompt) for k, v in expected.items() if k in seen]
        if "exit_code" in expected:
            parts.append((same(expected["exit_code"], evidence.exit_code), ""))
        failed = any(rung is None and not unsure for rung, unsure in parts)
        unsure = next((unsure for _, unsure in parts if unsure), "")
        return (None, "" if failed else unsure) if failed or unsure else _both(parts)
    return _text(expected, evidence.out, prompt)


def _both(parts: list[Answer]) -> Answer:
    return weakest([rung for rung, _ in parts]), ""


def _text(expected: Any, text: str, prompt: str) -> Answer:
    if rung := printed(expected, text):
        return rung, ""
    if is_prose(expected, prompt):
        return None, "the expectation is prose"
    shaped = names_properties(expected) and fits(expected, text.rstrip("\n"), prompt)
    return (Reason.STRUCTURAL, "") if shaped else NO
