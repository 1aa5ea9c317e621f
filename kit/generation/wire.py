"""The two wire formats, from the bytes of a body to a Response. Nothing is guessed: what is not
an answer in the format is a MalformedAnswer."""

import json
from typing import Any

from kit.generation.base import MalformedAnswer, Response

FILTERED = ("content_filter", "content_policy_violation")
CUT = ("max_tokens", "model_context_window_exceeded")


def read_openai(body: bytes) -> Response:
    """The first choice of a chat completion."""
    data = _object(body)
    try:
        choice = data["choices"][0]
        message, reason = choice["message"], choice.get("finish_reason") or ""
        refusal, content = message.get("refusal"), _text(message.get("content"))
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise _wrong_shape("chat completion", body) from error
    usage = data.get("usage")
    return Response(
        text=clean(content or refusal or ""),
        finish_reason=str(reason),
        served_model=str(data.get("model") or ""),
        input_tokens=_count(usage, "prompt_tokens"),
        output_tokens=_count(usage, "completion_tokens"),
        truncated=reason == "length",
        refused=bool(refusal) or reason == "content_filter",
    )


def read_anthropic(body: bytes) -> Response:
    """The text blocks of a message; thinking blocks are no part of the answer."""
    data = _object(body)
    try:
        if data["type"] != "message":
            raise _wrong_shape("message", body)
        text = _text([b for b in data["content"] if b["type"] == "text"])
    except (KeyError, TypeError) as error:
        raise _wrong_shape("message", body) from error
    reason, usage = data.get("stop_reason") or "", data.get("usage")
    return Response(
        text=clean(text),
        finish_reason=str(reason),
        served_model=str(data.get("model") or ""),
        input_tokens=_count(usage, "input_tokens"),
        output_tokens=_count(usage, "output_tokens"),
        truncated=reason in CUT,
        refused=reason == "refusal",
    )


def refusal_in(body: Any) -> Response | None:
    """A request that the service's content filter stopped is a refusal, not a failure."""
    code = _error(body).get("code")
    if code not in FILTERED:
        return None
    return Response(text=clean(message_in(body)), finish_reason=str(code), refused=True)


def message_in(body: Any) -> str:
    """What an error body says in words, or ""."""
    said = _error(body).get("message")
    return said if isinstance(said, str) else ""


def clean(text: str) -> str:
    """Text that UTF-8 can hold: a lone surrogate, which JSON can smuggle in, becomes "?"."""
    return text.encode("utf-8", "replace").decode()


def _error(body: Any) -> dict[str, Any]:
    """The error object, whether the SDK has unwrapped it already or not."""
    inner = body.get("error", body) if isinstance(body, dict) else {}
    return inner if isinstance(inner, dict) else {}


def _object(body: bytes) -> dict[str, Any]:
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict):
        raise _wrong_shape("JSON object", body) from None
    if "error" in data and data["error"]:
        raise MalformedAnswer(f"an error instead of an answer: {message_in(data) or data['error']}")
    return data


def _wrong_shape(wanted: str, body: bytes) -> MalformedAnswer:
    start = body[:80].decode(errors="replace")
    return MalformedAnswer(f"the answer is no {wanted}: {len(body)} bytes that begin {start!r}")


def _text(content: Any) -> str:
    """A string, nothing, or a list of text parts."""
    if content is None or isinstance(content, str):
        return content or ""
    parts = [part["text"] for part in content if part.get("type", "text") == "text"]
    return "".join(parts)


def _count(usage: Any, name: str) -> int | None:
    value = usage.get(name) if isinstance(usage, dict) else None
    return value if isinstance(value, int) else None
