"""The input of a test becomes the arguments of a call, whatever the parameters are called."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kit.harness.forms import FILE_KEYS, Shape
from kit.harness.read.facts import Function


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
    names = _by_name([*shape.keys, *shape.late_keys], params)
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
        told = ", ".join(f"{k} as {p}" for k, p in pairs.items())
        return Binding({**names, **pairs}, note=f"Passed by position: {told}.")
    if names and not free:
        return Binding(names)
    raise Unmappable(
        f"{function.name}({', '.join(params)}) does not fit the inputs ({', '.join(shape.keys)})."
    )


def _is_file_key(key: str, shape: Shape) -> bool:
    """Whether the key belongs to a file that is made before the call, not to an argument."""
    return key in FILE_KEYS and set(FILE_KEYS) <= set(shape.keys)


def _by_name(keys: list[str], params: list[str]) -> dict[str, str]:
    exact = {key: key for key in keys if key in params}
    rest = {plain(p): p for p in params if p not in exact}
    alike = {k: rest[plain(k)] for k in keys if k not in exact and plain(k) in rest}
    return {**exact, **alike}


def call(function: Function, shape: Shape, value: Any) -> tuple[dict[str, Any], str]:
    """{"args": [...], "kwargs": {...}} for one input, and a note where names did not agree."""
    if isinstance(value, Mapping):
        return _from_object(function, shape, value)
    if isinstance(value, list):
        return _from_list(function, value)
    if not function.params and not function.many:
        raise Unmappable(f"{function.name}() takes no parameter, but the test gives one value.")
    return {"args": [value], "kwargs": {}}, ""


def _from_list(function: Function, values: list[Any]) -> tuple[dict[str, Any], str]:
    single = len(function.params) == 1 and not function.many
    if single and len(values) != 1:
        note = f"The list was passed whole as {function.params[0]!r}."
        return {"args": [values], "kwargs": {}}, note
    return {"args": values, "kwargs": {}}, ""


def _from_object(
    function: Function, shape: Shape, value: Mapping[str, Any]
) -> tuple[dict[str, Any], str]:
    if value and not set(value) & set(shape.keys):
        shape = Shape(tuple(value), (), None, shape.forms)
    binding = bind(function, shape)
    if binding.whole:
        return {"args": [dict(value)], "kwargs": {}}, binding.note
    given = {binding.names[k]: v for k, v in value.items() if k in binding.names}
    lost = [k for k in value if k not in binding.names and not _is_file_key(k, shape)]
    notes = [binding.note, f"No parameter for: {', '.join(lost)}." if lost else ""]
    leading = function.params[: function.positional_only]
    args = []
    for name in leading:
        if name not in given:
            break
        args.append(given.pop(name))
    return {"args": args, "kwargs": given}, " ".join(filter(None, notes))


def command_line(
    value: Mapping[str, Any], options: tuple[str, ...], *, by_argument: bool
) -> tuple[list[str], str]:
    """(argv, stdin) for an object: declared options by name, the rest in order; or lines."""
    if not by_argument:
        return [], "\n".join(_word(v) for v in value.values())
    declared = {plain(name): name for name in options if name.startswith("-")}
    flags: list[str] = []
    rest: list[str] = []
    for key, given in value.items():
        name = key if key.startswith("-") else declared.get(plain(key), "")
        words = [_word(v) for v in given] if isinstance(given, list) else [_word(given)]
        if not name:
            rest += [] if given is None else words
        elif given is True:
            flags.append(name)
        elif given is not False and given is not None:
            flags += [name, *words]
    return [*rest, *flags], ""


def _word(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
