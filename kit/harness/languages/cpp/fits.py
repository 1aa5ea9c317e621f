"""Whether the arguments of a test surely fit a function of C or C++, by the words of its types.

A program that says that it could not take them is believed only where this is not sure.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from kit.harness.facts import Function
from kit.harness.plan import Plan

_INDIRECT = re.compile(r"\b(?:const|volatile|struct)\b|std::|&")
_TEXT = re.compile(r"string|string_view|char \*")
_WHOLE = re.compile(r"int|long|long long|int(?:32|64)_t|ssize_t")
_NATURAL = re.compile(r"unsigned|unsigned (?:int|long|long long)|u?int(?:32|64)_t|size_t")
_REAL = re.compile(r"float|double|long double")
_LIST = re.compile(r"(?:vector|list|deque)<(.+)>")
_MAP = re.compile(r"(?:unordered_)?map<string, ?(.+)>")
_OPTIONAL = re.compile(r"optional<(.+)>")


def are_sure(chosen: Plan, job: Mapping[str, Any]) -> bool:
    """Whether all arguments of all calls of a job, in order, surely fit their parameters."""
    owner = chosen.owner
    methods = owner.methods if owner else {}
    calls = [(methods.get(name, chosen.function), values) for name, values in job["calls"]]
    if owner and job["init"] is not None:
        calls.append((owner.init, job["init"]))
    for function, values in calls:
        types = _find_types(function, len(values)) if function else None
        if types is None or not all(map(can_convert, types, values)):
            return False
    return True


def _find_types(function: Function, count: int) -> tuple[str, ...] | None:
    """The types of the first overload that takes so many arguments: it is what is called."""
    for one in function.typed:
        if 0 <= len(one.types) - count <= one.defaults and not one.generic:
            return one.types
    return None


def can_convert(kind: str, value: Any) -> bool:
    """Whether a value surely can be made into a type; False where the words do not tell."""
    bare = " ".join(_INDIRECT.sub(" ", kind).replace("*", " * ").split())
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if inner := _LIST.fullmatch(bare):
        return isinstance(value, list) and can_convert_all(inner[1], value)
    if inner := _MAP.fullmatch(bare):
        return isinstance(value, Mapping) and can_convert_all(inner[1], value.values())
    if inner := _OPTIONAL.fullmatch(bare):
        return value is None or can_convert(inner[1], value)
    if _TEXT.fullmatch(bare):
        return isinstance(value, str) and "\0" not in value
    if _REAL.fullmatch(bare):
        return is_number
    if _WHOLE.fullmatch(bare):
        return is_number and isinstance(value, int) and -(2**31) <= value < 2**31
    if _NATURAL.fullmatch(bare):
        return is_number and isinstance(value, int) and 0 <= value < 2**31
    return bare == "bool" and isinstance(value, bool)


def can_convert_all(kind: str, values: Iterable[Any]) -> bool:
    return all(can_convert(kind, value) for value in values)
