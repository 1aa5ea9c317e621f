"""The ladder of comparisons: two values, two texts, exceptions of two languages."""

import builtins
import json
import math
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from kit import languages
from kit.records import Reason

_ANY = frozenset({"Error", "std::runtime_error", "c_error"})
_VALUE = _ANY | {"std::invalid_argument", "std::domain_error", "std::logic_error", "RangeError"}
_PLACE = _ANY | {"std::out_of_range", "RangeError"}
_SYSTEM = _ANY | {"std::system_error", "std::filesystem::filesystem_error"}
EQUAL: Mapping[str, frozenset[str]] = {
    "ValueError": _VALUE | {"TypeError", "std::out_of_range", "std::length_error"},
    "TypeError": _VALUE | {"std::bad_variant_access"},
    "KeyError": _PLACE,
    "IndexError": _PLACE,
    "LookupError": _PLACE,
    "ZeroDivisionError": _VALUE,
    "OverflowError": _PLACE | {"std::overflow_error", "std::range_error", "std::length_error"},
    "ArithmeticError": _VALUE | {"std::overflow_error", "std::range_error"},
    "OSError": _SYSTEM,
    "FileNotFoundError": _SYSTEM,
    "PermissionError": _SYSTEM,
    "RuntimeError": _ANY | {"std::logic_error"},
}
# JavaScript's own descend from Error, but say more than that
_OWN = frozenset(
    {"EvalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError", "URIError"}
)


def is_foreign(name: str, bases: tuple[str, ...]) -> bool:
    """Whether a class cannot be Python's: JavaScript's descend from Error, C++ names its spaces."""
    names = {name, *bases}
    if "BaseException" in names:
        return False
    return bool(names & {"Error", "c_error"}) or any("::" in n for n in names)


def stands_for(name: str, wanted: str, bases: tuple[str, ...] = ()) -> bool:
    """Whether an exception of another language is what Python would call `wanted`."""
    if not is_foreign(name, bases):
        return False
    equal = EQUAL.get(wanted.rpartition(".")[2], frozenset())
    return name in equal or (name not in _OWN and bool(equal & set(bases)))


_DEPTH = 60
_RUNGS = (Reason.EXACT, Reason.NUMERIC, Reason.EXCEPTION_CLASS, Reason.STRUCTURAL)


def same(expected: Any, actual: Any, *, depth: int = 0) -> Reason | None:
    """The weakest rung needed anywhere inside, so `exact` means exact throughout."""
    if depth > _DEPTH:
        return None
    if isinstance(actual, Mapping) and (rung := _retold(expected, actual)) is not None:
        return rung
    if isinstance(expected, bool) or isinstance(actual, bool) or expected is None or actual is None:
        return Reason.EXACT if expected is actual else None
    if isinstance(expected, (int, float)) and isinstance(actual, (int, float)):
        return _numbers(expected, actual)
    if isinstance(expected, str) and isinstance(actual, str):
        return text_value(expected, actual)
    if isinstance(expected, Mapping) and isinstance(actual, Mapping):
        agree = expected.keys() == actual.keys()
        rungs = (
            [same(v, actual[k], depth=depth + 1) for k, v in expected.items()] if agree else [None]
        )
        return weakest(rungs)
    if isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
        return weakest([same(e, s, depth=depth + 1) for e, s in zip(expected, actual, strict=True)])
    return None


def without_unset(expected: Any, actual: Any, depth: int = 0) -> Any:
    """The value without those fields, anywhere inside, that are empty and that nobody expects."""
    if depth > _DEPTH:
        return actual
    if isinstance(expected, Mapping) and isinstance(actual, Mapping):
        return {
            name: without_unset(expected.get(name), value, depth + 1)
            for name, value in actual.items()
            if name in expected or value not in ("", None, [], {})
        }
    if isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
        pairs = zip(expected, actual, strict=True)
        return [without_unset(e, a, depth + 1) for e, a in pairs]
    return actual


def unreadable(value: Any, depth: int = 0) -> bool:
    """Whether an object is anywhere inside of which the harness can tell nothing but its class."""
    if depth > _DEPTH or not isinstance(value, (Mapping, list)):
        return False
    if isinstance(value, list):
        return any(unreadable(v, depth + 1) for v in value)
    if "__type__" in value and value.get("__repr__") == "":
        return True
    return any(unreadable(v, depth + 1) for v in value.values())


def weakest(rungs: Sequence[Reason | None]) -> Reason | None:
    """None if any is None, else the one farthest down the ladder; EXACT of nothing."""
    if None in rungs:
        return None
    return max(rungs, key=_RUNGS.index, default=Reason.EXACT)


def _numbers(expected: float, actual: float) -> Reason | None:
    if type(expected) is type(actual) and expected == actual:
        return Reason.EXACT
    if max(abs(expected), abs(actual)) > sys.float_info.max:
        return None  # an infinity, or an integer beyond all floats
    if math.isnan(expected) or math.isnan(actual):
        return Reason.EXACT if math.isnan(expected) and math.isnan(actual) else None
    if isinstance(expected, int) and isinstance(actual, int):
        return None  # two integers are equal or they differ, however large
    return Reason.NUMERIC if math.isclose(expected, actual, rel_tol=1e-9, abs_tol=1e-12) else None


def text_value(expected: str, actual: str) -> Reason | None:
    """Returned texts: equal, or apart only in the newlines at the end of several lines."""
    if expected == actual:
        return Reason.EXACT
    if "\n" in expected and _lines(expected).rstrip("\n") == _lines(actual).rstrip("\n"):
        return Reason.STRUCTURAL
    return None


def text_output(expected: str, actual: str) -> Reason | None:
    """Printed or sent texts: white space at the end of lines and of the text is free."""
    if expected == actual:
        return Reason.EXACT
    return Reason.STRUCTURAL if _trimmed(expected) == _trimmed(actual) else None


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n")


def _trimmed(text: str) -> str:
    return "\n".join(line.rstrip() for line in _lines(text).split("\n")).rstrip()


def _retold(expected: Any, actual: Mapping[str, Any]) -> Reason | None:
    """Values that JSON cannot say, in the form the harness tells them."""
    if actual.keys() == {"__float__"} and isinstance(expected, float):
        text = actual["__float__"]
        try:
            return _numbers(expected, float(text)) if isinstance(text, str) else None
        except ValueError:
            return None
    if actual.keys() == {"__bytes__"} and isinstance(expected, str):
        try:
            raw = bytes.fromhex(actual["__bytes__"])
        except (ValueError, TypeError):
            return None
        return Reason.STRUCTURAL if raw == expected.encode() else None
    if actual.keys() == {"__set__"} and isinstance(expected, list):
        return _unordered(expected, actual["__set__"])
    if "raises" in actual and isinstance(expected, Mapping) and "raises" in expected:
        name, wanted = str(actual["raises"]), str(expected["raises"])
        bases = names(actual.get("bases"))
        alike = is_a(name, wanted, bases) or ("bases" in actual and stands_for(name, wanted, bases))
        return Reason.EXCEPTION_CLASS if alike else None
    if "__type__" in actual and isinstance(expected, str):
        return _shown(expected, str(actual.get("__repr__", "")))
    return None


def names(value: Any) -> tuple[str, ...]:
    """The texts of what should be a list of class names, whatever a program made of it."""
    return tuple(map(str, value)) if isinstance(value, list) else ()


def is_a(name: str, wanted: str, bases: tuple[str, ...] = ()) -> bool:
    """Whether the exception class `name` is `wanted` or descends from it."""
    name, wanted = name.rpartition(".")[2], wanted.rpartition(".")[2]
    classes = {name, *(b.rpartition(".")[2] for b in bases)}
    if wanted in classes or wanted in {c.rpartition("::")[2] for c in classes}:
        return True
    known, ancestor = getattr(builtins, name, None), getattr(builtins, wanted, None)
    if not isinstance(known, type) or not isinstance(ancestor, type):
        return False
    return issubclass(known, BaseException) and issubclass(known, ancestor)


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


def literal(expected: str, actual: Any) -> Reason | None:
    """The text of a container against the container itself: "{'a': 1}" and {"a": 1}."""
    if not isinstance(actual, (Mapping, list)) or not expected.strip().startswith(("{", "[")):
        return None
    agree = any(same(_plain(value), actual) for value in parsed(expected))
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
