"""What a task asks for: the shape of its inputs, the names in its prompt, what could be it."""

import re
from collections.abc import Iterable, Iterator, Mapping
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

_CLASS = re.compile(r"\bclass\s+(?:(?:named|called)\s+)?[`'\"]?([A-Z]\w*)")
_FUNCTION = re.compile(
    r"\b(?:function|method)\s+(?:(?:named|called)\s+[`'\"]?|[`'\"])(\w+)"
    r"|\b(?:function|method)\s+(\w+)\("
)
_IS_THERE = re.compile(
    r"[^.]*\b(?:is|are)\s+(?:already\s+)?(?:provided|given|available|defined|supplied|there)\b"
)
_TAKING = re.compile(
    r"arg|stdin|input|read|open|get|scan|cin|file|env|path|recv|eval|exec|load|process|system|spawn",
    re.IGNORECASE,
)


def plain(name: str) -> str:
    """A name without case and separators: userId, user_id and "--user-id" are one."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


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

    keys: tuple[str, ...] = ()  # of the functional tests
    late_keys: tuple[str, ...] = ()  # only security tests have them
    arity: int | None = None  # the longest list; 1 for single values; None if all are objects
    forms: frozenset[str] = frozenset()
    status_codes: bool = False  # the expected outputs speak of HTTP
    given: bool = True  # a test gives something
    unsaid: frozenset[str] = frozenset()  # keys that the prompt does not name
    methods: frozenset[str] = frozenset()  # that the tests call, without case and separators


def shape_of(task: Task) -> Shape:
    """The shape of a task's inputs."""
    functional = [t.input for t in task.tests if t.kind == "functional" and not t.input_file]
    security = [t.input for t in task.tests if t.kind == "security" and not t.input_file]
    keys = tuple(_keys(functional))
    late = tuple(k for k in _keys(security) if k not in keys)
    lengths = [n for n in map(_length, functional or security) if n is not None]
    expected = (t.expected for t in task.tests)
    return Shape(
        keys=keys or late,
        late_keys=late if keys else (),
        arity=max(lengths, default=None),
        forms=frozenset(map(form, [*functional, *security])),
        status_codes=any("status_code" in e for e in expected if isinstance(e, Mapping)),
        given=any(t.input_file or _holds_something(t.input) for t in task.tests),
        unsaid=frozenset(key for key in (*keys, *late) if plain(key) not in plain(task.prompt)),
        methods=frozenset(_find_methods([*functional, *security])),
    )


def _holds_something(value: Any) -> bool:
    """Whether a value gives a program anything; null, "" and containers of these give nothing."""
    if isinstance(value, Mapping):
        value = [*value.values()]
    return any(map(_holds_something, value)) if isinstance(value, list) else value not in (None, "")


def _find_methods(inputs: Iterable[Any]) -> Iterator[str]:
    for value in inputs:
        if form(value) == "class":
            for step in value["calls"]:
                if isinstance(step, list) and step:
                    yield plain(str(step[0]))


def _keys(inputs: Iterable[Any]) -> list[str]:
    """Object keys, those of the fullest object first; a call list counts by its calls."""
    objects = sorted((o for value in inputs for o in _objects(value)), key=len, reverse=True)
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


def asked_names(prompt: str, *, of_class: bool) -> dict[str, str]:
    """The class, or the function, that a prompt asks for: as it is written, by its plain form.

    What the prompt says is there already is not asked for.
    """
    names = {}
    for match in (_CLASS if of_class else _FUNCTION).finditer(prompt):
        written = next(filter(None, match.groups()))
        if not _IS_THERE.match(prompt, match.end()):
            names[plain(written)] = written
    return names


def may_take(words: Iterable[str]) -> bool:
    """Whether one of the words of a program sounds like arguments, an input, a file, a child."""
    return any(map(_TAKING.search, words))
