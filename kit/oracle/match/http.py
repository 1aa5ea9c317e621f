"""agree(expected, response): a status and the named parts of a response, the rest of it free."""

from collections.abc import Mapping
from typing import Any

from kit.oracle.compare import literal, printed, same, text_output, weakest
from kit.oracle.describe import body_json
from kit.oracle.match.shape import fits
from kit.records import Reason

BODY = ("content", "body", "text", "response_body", "response")
WHOLE = (*BODY, "output", "data", "json")
IGNORED = ("description", "note", "comment")


def agree(
    expected: Any, response: Mapping[str, Any], *, prompt: str = ""
) -> tuple[Reason | None, str]:
    """(rung, "") where all parts agree; (None, the part that does not) where one differs."""
    body, data = str(response.get("body", "")), body_json(response)
    if not isinstance(expected, Mapping):
        rung = _whole(expected, body, data) or _only_text(expected, data)
        return rung, "" if rung else "body"
    status, parts = _status_of(expected)
    rungs = []
    if status is not None:
        if not _status_agrees(status, response, data):
            return None, "status"
        rungs.append(Reason.EXACT)
    for key, value in parts.items():
        rung = _part(key, value, response, prompt)
        if rung is None:
            return None, key
        rungs.append(rung)
    return weakest([*rungs, Reason.STRUCTURAL] if len(expected) > 1 else rungs), ""


def _status_of(expected: Mapping[str, Any]) -> tuple[int | None, dict[str, Any]]:
    parts = {k: v for k, v in expected.items() if k not in IGNORED}
    if "status_code" in parts:
        return parts.pop("status_code"), parts
    status = parts.get("status")
    if isinstance(status, int) and not isinstance(status, bool) and 100 <= status < 600:
        return parts.pop("status"), parts
    return None, parts


def _status_agrees(wanted: Any, response: Mapping[str, Any], data: Any) -> bool:
    """By the status line; or, where the specification puts it there, by the JSON body itself."""
    told = data.get("status_code") if isinstance(data, Mapping) else None
    return same(wanted, response.get("status")) is not None or same(wanted, told) is not None


def _part(key: str, wanted: Any, response: Mapping[str, Any], prompt: str) -> Reason | None:
    body, data = str(response.get("body", "")), body_json(response)
    if isinstance(data, Mapping) and key in data:
        if rung := _value(wanted, data[key], prompt):
            return rung
    if key == "headers" and isinstance(wanted, Mapping):
        return _headers(wanted, response)
    if key == "content_type":
        return _headers({"content-type": wanted}, response)
    if key == "file_sent":
        return Reason.STRUCTURAL if bool(body) == bool(wanted) else None
    if key in WHOLE:
        return _whole(wanted, body, data) or (_only_text(wanted, data) if key in BODY else None)
    if isinstance(wanted, str) and not isinstance(data, (Mapping, list)):
        return text_output(wanted, body)  # an error sent as plain text
    return None


def _value(wanted: Any, seen: Any, prompt: str) -> Reason | None:
    if rung := same(wanted, seen):
        return rung
    if isinstance(wanted, str) and isinstance(seen, str):
        return text_output(wanted, seen)
    return Reason.STRUCTURAL if fits(wanted, seen, prompt) else None


def _whole(wanted: Any, body: str, data: Any) -> Reason | None:
    if isinstance(wanted, str):
        told = text_output(wanted, data) if isinstance(data, str) else None
        return printed(wanted, body) or told or literal(wanted, data)
    return same(wanted, data) or _subset(wanted, data)


def _subset(wanted: Any, data: Any) -> Reason | None:
    if not isinstance(wanted, Mapping) or not isinstance(data, Mapping) or not wanted:
        return None
    agree_all = all(k in data and same(v, data[k]) for k, v in wanted.items())
    return Reason.STRUCTURAL if agree_all else None


def _only_text(wanted: Any, data: Any) -> Reason | None:
    """A bare text as the one text of a JSON object: "Error" and {"error": "Error"}."""
    if not isinstance(wanted, str) or not isinstance(data, Mapping):
        return None
    texts = [v for v in data.values() if isinstance(v, str)]
    return Reason.STRUCTURAL if texts == [wanted] else None


def _headers(wanted: Mapping[str, Any], response: Mapping[str, Any]) -> Reason | None:
    """Names in any case, quotes around a file name free, parameters after ';' free if not asked."""
    seen = {str(k).lower(): str(v) for k, v in (response.get("headers") or {}).items()}
    for name, value in wanted.items():
        got, value = seen.get(name.lower(), "").replace('"', ""), str(value).replace('"', "")
        if got != value and got.partition(";")[0].strip() != value:
            return None
    return Reason.STRUCTURAL
