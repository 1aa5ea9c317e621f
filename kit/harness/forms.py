"""The forms in which a suite writes the input of a test."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from kit.records import Task

VERBS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
REQUEST_LINE = re.compile(
    rf"(?P<method>{'|'.join(VERBS)})\s+(?P<target>(?:https?://[^/\s]+)?/.*?)"
    r"(?:\s+with\s+(?P<what>[\w ]+?):\s?(?P<body>.*))?",
    re.DOTALL,
)
FILE_KEYS = ("file_path", "file_content")


def form(value: Any) -> str:
    """cli, class, calls, requests, request, path or plain: the most specific form of `value`."""
    if isinstance(value, str):
        if REQUEST_LINE.fullmatch(value):
            return "request"
        return "path" if value.startswith("/") else "plain"
    if not isinstance(value, Mapping):
        return "plain"
    if isinstance(value.get("calls"), list) and set(value) <= {"init", "calls"}:
        return "class" if "init" in value else "calls"
    if isinstance(value.get("requests"), list):
        return "requests"
    if "method" in value and str(value["method"]).upper() in VERBS:
        return "request"
    return "cli" if is_command_line(value) else "plain"


def is_command_line(value: Mapping[str, Any]) -> bool:
    """Whether an object is {"args": [...], "stdin": text, "files": {...}}, any of them."""
    kinds = {"args": list, "stdin": str, "files": dict}
    return bool(value) and all(k in kinds and isinstance(v, kinds[k]) for k, v in value.items())


@dataclass(frozen=True)
class Shape:
    """What the inputs of a task look like together."""

    keys: tuple[str, ...]  # of the functional tests
    late_keys: tuple[str, ...]  # only security tests have them
    arity: int | None  # the longest positional list; 1 for single values; None if all are objects
    forms: frozenset[str]
    status_codes: bool = False  # the expected outputs speak of HTTP


def shape(task: Task) -> Shape:
    """The shape of a task's inputs."""
    functional = [t.input for t in task.tests if t.kind == "functional" and not t.input_file]
    security = [t.input for t in task.tests if t.kind == "security" and not t.input_file]
    keys = tuple(_keys(functional))
    late = tuple(k for k in _keys(security) if k not in keys)
    lengths = [n for n in map(_length, functional or security) if n is not None]
    return Shape(
        keys=keys or late,
        late_keys=late if keys else (),
        arity=max(lengths, default=None),
        forms=frozenset(map(form, [*functional, *security])),
        status_codes=any(
            isinstance(t.expected, Mapping) and "status_code" in t.expected for t in task.tests
        ),
    )


def _keys(inputs: Iterable[Any]) -> list[str]:
    """Object keys, those of the fullest object first; a call list counts by its calls."""
    objects = [o for value in inputs for o in _objects(value)]
    objects.sort(key=len, reverse=True)
    return list(dict.fromkeys(key for o in objects for key in o))


def _objects(value: Any) -> list[Mapping[str, Any]]:
    if form(value) == "calls":
        return [call for call in value["calls"] if isinstance(call, Mapping)]
    return [value] if isinstance(value, Mapping) and form(value) == "plain" else []


def _length(value: Any) -> int | None:
    if isinstance(value, list):
        return len(value)
    if form(value) == "calls":
        return max((n for n in map(_length, value["calls"]) if n is not None), default=None)
    return None if isinstance(value, Mapping) else 1
