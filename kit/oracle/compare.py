"""same(expected, seen) -> the rung of the ladder on which two JSON values agree, or None.

True is never 1, text is never a number, a list is never its text: a rung forgives only what JSON or
a print cannot say (5 and 5.0, a tuple, a set, bytes, the last newlines of a text of several lines).
"""

import builtins
import json
import math
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from kit import languages
from kit.oracle.exceptions import stands_for
from kit.records import Reason

_DEPTH = 60
_RUNGS = (Reason.EXACT, Reason.NUMERIC, Reason.EXCEPTION_CLASS, Reason.STRUCTURAL)


def same(expected: Any, seen: Any, *, depth: int = 0) -> Reason | None:
    """The weakest rung needed anywhere inside, so `exact` means exact throughout."""
    if depth > _DEPTH:
        return None
    if isinstance(seen, Mapping) and (told := _retold(expected, seen)) is not None:
        return told
    if isinstance(expected, bool) or isinstance(seen, bool) or expected is None or seen is None:
        return Reason.EXACT if expected is seen else None
    if isinstance(expected, (int, float)) and isinstance(seen, (int, float)):
        return _numbers(expected, seen)
    if isinstance(expected, str) and isinstance(seen, str):
        return text_value(expected, seen)
    if isinstance(expected, Mapping) and isinstance(seen, Mapping):
        return _mappings(expected, seen, depth)
    if isinstance(expected, list) and isinstance(seen, list) and len(expected) == len(seen):
        return weakest([same(e, s, depth=depth + 1) for e, s in zip(expected, seen, strict=True)])
    return None


def weakest(rungs: Sequence[Reason | None]) -> Reason | None:
    """None if any is None, else the one farthest down the ladder; EXACT of nothing."""
    if None in rungs:
        return None
    return max(rungs, key=_RUNGS.index, default=Reason.EXACT)


def _numbers(expected: float, seen: float) -> Reason | None:
    if type(expected) is type(seen) and expected == seen:
        return Reason.EXACT
    if max(abs(expected), abs(seen)) > sys.float_info.max:
        return None  # an infinity, or an integer beyond all floats
    if math.isnan(expected) or math.isnan(seen):
        return Reason.EXACT if math.isnan(expected) and math.isnan(seen) else None
    if isinstance(expected, int) and isinstance(seen, int):
        return None  # two integers are equal or they differ, however large
    return Reason.NUMERIC if math.isclose(expected, seen, rel_tol=1e-9, abs_tol=1e-12) else None


def _float(told: Any) -> float | None:
    """The number that a program's {"__float__": text} stands for, or None."""
    try:
        return float(told) if isinstance(told, str) else None
    except ValueError:
        return None


def _mappings(expected: Mapping[str, Any], seen: Mapping[str, Any], depth: int) -> Reason | None:
    if expected.keys() != seen.keys():
        return None
    return weakest([same(v, seen[k], depth=depth + 1) for k, v in expected.items()])


def text_value(expected: str, seen: str) -> Reason | None:
    """Returned texts: equal, or apart only in the newlines at the end of several lines."""
    if expected == seen:
        return Reason.EXACT
    if "\n" in expected and _lines(expected).rstrip("\n") == _lines(seen).rstrip("\n"):
        return Reason.STRUCTURAL
    return None


def text_output(expected: str, seen: str) -> Reason | None:
    """Printed or sent texts: white space at the end of lines and of the text is free."""
    if expected == seen:
        return Reason.EXACT
    return Reason.STRUCTURAL if _trimmed(expected) == _trimmed(seen) else None


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n")


def _trimmed(text: str) -> str:
    return "\n".join(line.rstrip() for line in _lines(text).split("\n")).rstrip()


def _retold(expected: Any, seen: Mapping[str, Any]) -> Reason | None:
    """Values that JSON cannot say, in the form the harness tells them."""
    if seen.keys() == {"__float__"} and isinstance(expected, float):
        number = _float(seen["__float__"])
        return None if number is None else _numbers(expected, number)
    if seen.keys() == {"__bytes__"} and isinstance(expected, str):
        return _bytes(expected, seen["__bytes__"])
    if seen.keys() == {"__set__"} and isinstance(expected, list):
        return _unordered(expected, seen["__set__"])
    if "raises" in seen and isinstance(expected, Mapping) and "raises" in expected:
        name, wanted = str(seen["raises"]), str(expected["raises"])
        bases = names(seen.get("bases"))
        alike = is_a(name, wanted, bases) or ("bases" in seen and stands_for(name, wanted, bases))
        return Reason.EXCEPTION_CLASS if alike else None
    if "__type__" in seen and isinstance(expected, str):
        return _shown(expected, str(seen.get("__repr__", "")))
    return None


def names(value: Any) -> tuple[str, ...]:
    """The texts of what should be a list of class names, whatever a program made of it."""
    return tuple(map(str, value)) if isinstance(value, list) else ()


def is_a(name: str, wanted: str, bases: tuple[str, ...] = ()) -> bool:
    """Whether the exception class `name` is `wanted` or descends from it."""
    name, wanted = name.rpartition(".")[2], wanted.rpartition(".")[2]
    if wanted in {name, *(b.rpartition(".")[2] for b in bases)}:
        return True
    known, ancestor = getattr(builtins, name, None), getattr(builtins, wanted, None)
    if not isinstance(known, type) or not isinstance(ancestor, type):
        return False
    return issubclass(known, BaseException) and issubclass(known, ancestor)


def _bytes(expected: str, hexed: str) -> Reason | None:
    try:
        raw = bytes.fromhex(hexed)
    except (ValueError, TypeError):
        return None
    return Reason.STRUCTURAL if raw == expected.encode() else None


def _unordered(expected: Sequence[Any], members: Any) -> Reason | None:
    if not isinstance(members, list) or len(members) != len(expected):
        return None
    left = list(members)
    for wanted in expected:
        hit = next((i for i, m in enumerate(left) if same(wanted, m)), None)
        if hit is None:
            return None
        del left[hit]
    return Reason.STRUCTURAL


def _shown(expected: str, shown: str) -> Reason | None:
    """An object against a text: its repr, or a JavaScript /pattern/ against the pattern."""
    if shown == expected:
        return Reason.STRUCTURAL
    slashed = shown.startswith("/") and shown.rfind("/") > 0
    if slashed and shown[1 : shown.rfind("/")].replace("\\/", "/") == expected.replace("\\/", "/"):
        return Reason.STRUCTURAL
    return None


def parsed(text: str) -> tuple[Any, ...]:
    """The one value that a text can be read as: JSON, else a Python literal. Empty if neither."""
    if len(text) > 1_000_000:
        return ()
    try:
        return (json.loads(text),)
    except (ValueError, RecursionError):
        return languages.literal(text)


def printed(expected: Any, text: str) -> Reason | None:
    """A value against what was printed: as text, as JSON, as a Python literal."""
    if isinstance(expected, str):
        return text_output(expected, text) or _literal_text(expected, text)
    for value in parsed(text):
        if rung := same(expected, _plain(value)):
            return weakest([rung, Reason.STRUCTURAL])
    return None


def _literal_text(expected: str, text: str) -> Reason | None:
    """Two texts of one container: "{'a': 1}" printed as '{"a": 1}'."""
    if not expected.lstrip().startswith(("{", "[")):
        return None
    wanted, got = parsed(expected), parsed(text)
    agree = any(same(_plain(w), _plain(g)) for w in wanted for g in got)
    return Reason.STRUCTURAL if agree else None


def literal(expected: str, seen: Any) -> Reason | None:
    """The text of a container against the container itself: "{'a': 1}" and {"a": 1}."""
    if not isinstance(seen, (Mapping, list)) or not expected.strip().startswith(("{", "[")):
        return None
    agree = any(same(_plain(value), seen) for value in parsed(expected))
    return Reason.STRUCTURAL if agree else None


def _plain(value: Any, depth: int = 0) -> Any:
    """Tuples as lists, keys as text: what JSON would have made of a literal; as deep as `same`."""
    if depth > _DEPTH:
        return None
    if isinstance(value, (list, tuple)):
        return [_plain(v, depth + 1) for v in value]
    if isinstance(value, dict):
        return {_key(k): _plain(v, depth + 1) for k, v in value.items()}
    return value


def _key(key: Any) -> str:
    try:
        return str(key)
    except ValueError:  # an integer of more digits than Python writes
        return ""
