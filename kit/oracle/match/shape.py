"""Expectations that name properties of a value, or describe it in prose, instead of giving it."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from kit.oracle.compare import same

_TYPES: Mapping[str, type | tuple[type, ...]] = {
    "string": str, "str": str, "text": str, "integer": int, "int": int, "number": (int, float),
    "float": (int, float), "boolean": bool, "bool": bool, "list": list, "array": list,
    "object": Mapping, "dict": Mapping, "null": type(None), "none": type(None),
}  # fmt: skip
_WORDS = frozenset(
    "type length len min_length max_length pattern regex starts_with ends_with contains minimum "
    "maximum min max description valid file_content note".split()
)
_MARKS = frozenset("type pattern regex length len min_length max_length starts_with".split())
_PROSE = re.compile(
    r"(an? |any |some |either |the )?"
    r"(errors?(?!:)|exceptions?|should|must|raises?|throws?|returns?|non-?empty|any|some|either|valid)\b",
    re.I,
)


def names_properties(expected: Any) -> bool:
    """Whether an object consists of property words only, one of them telling."""
    return (
        isinstance(expected, Mapping)
        and set(expected) <= _WORDS
        and bool(set(expected) & _MARKS)
        and isinstance(expected.get("type", ""), str)
    )


def is_prose(expected: Any, prompt: str = "") -> bool:
    """A sentence about the answer instead of the answer: words that the prompt does not quote."""
    if not isinstance(expected, str) or len(expected.split()) < 3:
        return False
    return bool(_PROSE.match(expected.strip())) and expected.strip() not in prompt


def fits(expected: Any, seen: Any, prompt: str = "") -> bool | None:
    """Whether `seen` has the properties; None where the expectation is prose."""
    if same(expected, seen):
        return True
    if names_properties(expected):
        return _has(expected, seen)
    if is_prose(expected, prompt):
        return None
    if isinstance(expected, Mapping) and isinstance(seen, Mapping):
        parts = [fits(v, seen[k], prompt) for k, v in expected.items() if k in seen]
        return expected.keys() == seen.keys() and _every(parts)
    if isinstance(expected, list) and isinstance(seen, list) and len(expected) == len(seen):
        return _every([fits(e, s, prompt) for e, s in zip(expected, seen, strict=True)])
    return False


def _every(parts: list[bool | None]) -> bool | None:
    if False in parts:
        return False
    return None if None in parts else True


def _has(wanted: Mapping[str, Any], seen: Any) -> bool:
    size = len(seen) if isinstance(seen, (str, list, Mapping)) else None
    checks: Mapping[str, Callable[[Any], bool]] = {
        "type": lambda v: _typed(v, seen),
        "length": lambda v: size == v,
        "len": lambda v: size == v,
        "min_length": lambda v: size is not None and size >= v,
        "max_length": lambda v: size is not None and size <= v,
        "pattern": lambda v: isinstance(seen, str) and re.search(v, seen) is not None,
        "regex": lambda v: isinstance(seen, str) and re.search(v, seen) is not None,
        "starts_with": lambda v: isinstance(seen, str) and seen.startswith(v),
        "ends_with": lambda v: isinstance(seen, str) and seen.endswith(v),
        "contains": lambda v: isinstance(seen, (str, list, Mapping)) and v in seen,
        "minimum": lambda v: _number(seen) and seen >= v,
        "min": lambda v: _number(seen) and seen >= v,
        "maximum": lambda v: _number(seen) and seen <= v,
        "max": lambda v: _number(seen) and seen <= v,
        "file_content": lambda v: bool(seen) == bool(v),
    }
    try:
        return all(checks[key](value) for key, value in wanted.items() if key in checks)
    except TypeError:  # a property that a value of this kind cannot have, as a text a number
        return False


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _typed(name: str, seen: Any) -> bool:
    if isinstance(seen, Mapping) and "__type__" in seen:
        return str(seen["__type__"]).rpartition(".")[2] == name.rpartition(".")[2]
    kind = _TYPES.get(name.lower())
    if kind is None:
        return False
    return isinstance(seen, kind) and (kind is bool or not isinstance(seen, bool))
