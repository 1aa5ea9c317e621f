"""The input of a test, in any of its forms, becomes the arguments of a call"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from kit.harness.read.facts import Function
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


def shape_of(task: Task) -> Shape:
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


class Unmappable(Exception):
    """An input that fits no call of this program; its text is one sentence."""


@dataclass(frozen=True)
class Binding:
    """Which parameter each key of the inputs goes to. `whole`: the object is the one argument."""

    names: Mapping[str, str]
    whole: bool = False
    note: str = ""


def plain(name: str) -> str:
    """A name without case and separators: userId, user_id and "--user-id" are one."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def fit(function: Function, shape: Shape) -> tuple[int, int, int]:
    """How well a function fits the inputs: names that agree, whether the count does, parameters."""
    wanted = {plain(key) for key in shape.keys if not _is_file_key(key, shape)}
    own = [plain(p) for p in (*function.params, *function.keyword_only)]
    agree = len(wanted & set(own))
    count = len(wanted) or shape.arity or 0
    takes = function.required <= count and (count <= len(own) or function.many or function.others)
    return agree, int(takes), -len(own)


def bind(function: Function, shape: Shape) -> Binding:
    """The parameter for each key, once for all tests of a task: a missing key stays missing.

    Equal names first, then equal but for case and underscores; what is left goes in order where
    the counts allow it. Raises Unmappable where nothing sensible is left.
    """
    params = [*function.params, *function.keyword_only]
    every = [*shape.keys, *shape.late_keys]
    names = {key: key for key in every if key in params}
    rest = {plain(p): p for p in params if p not in names}
    names |= {k: rest[plain(k)] for k in every if k not in names and plain(k) in rest}
    keys = [k for k in shape.keys if k not in names and not _is_file_key(k, shape)]
    free = [p for p in params if p not in names.values()]
    if FILE_KEYS[0] in shape.keys and not names and not keys and function.required:
        names = {FILE_KEYS[0]: function.params[0]}
    if not keys or function.others:
        return Binding({**names, **{k: k for k in keys}})
    if len(params) == 1 and not names and len(keys) > 1:
        return Binding({}, whole=True, note=f"The object was passed whole as {params[0]!r}.")
    if len(keys) <= len(free):
        pairs = dict(zip(keys, free, strict=False))
        shown = ", ".join(f"{k} as {p}" for k, p in pairs.items())
        return Binding({**names, **pairs}, note=f"Passed by position: {shown}.")
    if names and not free:
        return Binding(names)
    raise Unmappable(
        f"{function.name}({', '.join(params)}) does not fit the inputs ({', '.join(shape.keys)})."
    )


def _is_file_key(key: str, shape: Shape) -> bool:
    """Whether the key belongs to a file that is made before the call, not to an argument."""
    return key in FILE_KEYS and set(FILE_KEYS) <= set(shape.keys)


def call(function: Function, shape: Shape, value: Any) -> tuple[dict[str, Any], str]:
    """{"args": [...], "kwargs": {...}} for one input, and a note where names did not agree."""
    if isinstance(value, Mapping):
        return _from_object(function, shape, value)
    if isinstance(value, list):
        if len(function.params) != 1 or function.many or len(value) == 1:
            return {"args": value, "kwargs": {}}, ""
        note = f"The list was passed whole as {function.params[0]!r}."
        return {"args": [value], "kwargs": {}}, note
    if not function.params and not function.many:
        raise Unmappable(f"{function.name}() takes no parameter, but the test gives one value.")
    return {"args": [value], "kwargs": {}}, ""


def _from_object(
    function: Function, shape: Shape, value: Mapping[str, Any]
) -> tuple[dict[str, Any], str]:
    if value and not set(value) & set(shape.keys):
        shape = Shape(tuple(value), (), None, shape.forms)
    binding = bind(function, shape)
    if binding.whole:
        return {"args": [dict(value)], "kwargs": {}}, binding.note
    arguments = {binding.names[k]: v for k, v in value.items() if k in binding.names}
    lost = [k for k in value if k not in binding.names and not _is_file_key(k, shape)]
    notes = [binding.note, f"No parameter for: {', '.join(lost)}." if lost else ""]
    leading = function.params[: function.positional_only]
    args = []
    for name in leading:
        if name not in arguments:
            break
        args.append(arguments.pop(name))
    return {"args": args, "kwargs": arguments}, " ".join(filter(None, notes))


def command_line(
    value: Mapping[str, Any], options: tuple[str, ...], *, by_argument: bool
) -> tuple[list[str], str]:
    """(argv, stdin) for an object: declared options by name, the rest in order; or lines."""
    if not by_argument:
        return [], "\n".join(_word(v) for v in value.values())
    declared = {plain(name): name for name in options if name.startswith("-")}
    flags: list[str] = []
    rest: list[str] = []
    for key, content in value.items():
        name = key if key.startswith("-") else declared.get(plain(key), "")
        words = [_word(v) for v in content] if isinstance(content, list) else [_word(content)]
        if not name:
            rest += [] if content is None else words
        elif content is True:
            flags.append(name)
        elif content is not False and content is not None:
            flags += [name, *words]
    return [*rest, *flags], ""


def _word(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
