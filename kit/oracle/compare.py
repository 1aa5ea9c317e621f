"""Compares what a task expects with what a program answered.

The ladder of comparisons for two values and for two texts. Expectations that are no value are in
`expectation`.
"""

import json
import math
import re
import sys
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from kit.core import languages
from kit.core.records import Reason
from kit.oracle.exceptions import class_names, is_a, stands_for
from kit.oracle.facts import list_members

_TOO_LARGE = "<too large to be returned>"  # as the kit's encoders say it
_DEPTH, _PARTS = 60, 200_000  # of a value: what a box carries
_EXACT_NUMBER = re.compile(
    r"(?:Decimal|Fraction)\('?(-?\d{1,400}(?:\.\d{1,400})?)'?(?:, ([1-9]\d{0,400}))?\)"
)
_RUNGS = (Reason.EXACT, Reason.NUMERIC, Reason.EXCEPTION_CLASS, Reason.STRUCTURAL)


def compare_values(expected: Any, actual: Any, *, depth: int = 0) -> Reason | None:
    """The weakest rung needed anywhere inside, so `exact` means exact throughout."""
    if depth > _DEPTH:
        return None
    if isinstance(actual, Mapping):
        rung = _compare_encoded_value(expected, actual)
        if rung is not None:
            return rung
    if isinstance(expected, bool) or isinstance(actual, bool) or expected is None or actual is None:
        return Reason.EXACT if expected is actual else None
    if isinstance(expected, (int, float)) and isinstance(actual, (int, float)):
        return _compare_numbers(expected, actual)
    if isinstance(expected, str) and isinstance(actual, str):
        return text_value(expected, actual)
    if isinstance(expected, Mapping) and isinstance(actual, Mapping):
        if expected.keys() != actual.keys():
            return None
        return weakest_rung(
            [compare_values(v, actual[k], depth=depth + 1) for k, v in expected.items()]
        )
    if isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
        return weakest_rung(
            [compare_values(e, s, depth=depth + 1) for e, s in zip(expected, actual, strict=True)]
        )
    return None


def without_unset(expected: Any, actual: Any, depth: int = 0) -> Any:
    """The value without the fields, at any depth, that are empty, 0 or false and not expected.

    A record where a list of as many parts is expected is the list of its fields.
    """
    if depth > _DEPTH:
        return actual
    if isinstance(expected, list) and isinstance(actual, Mapping) and "__" not in "".join(actual):
        return without_unset(expected, [*actual.values()], depth)
    if isinstance(expected, Mapping) and isinstance(actual, Mapping):
        fields = {}
        for name, value in actual.items():
            if name in expected or value:
                fields[name] = without_unset(expected.get(name), value, depth + 1)
        return fields
    if isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
        return [without_unset(e, a, depth + 1) for e, a in zip(expected, actual, strict=True)]
    return actual


def is_cut(value: Any, depth: int = 0) -> bool:
    """Whether the value holds, at any depth, what has more parts than the kit can carry."""
    if depth > _DEPTH:
        return False
    members = list_members(value)
    return _TOO_LARGE in members or any(is_cut(member, depth + 1) for member in members)


def is_carried(value: Any) -> bool:
    """Whether a value of this size comes whole from a box: one that was cut is another."""
    level = [value]
    parts = 0
    for _ in range(_DEPTH):
        parts += len(level)
        next_level: list[Any] = []
        for part in level:
            next_level += list_members(part)
        level = next_level
    return not level and parts <= _PARTS


def with_truths(expected: Any, actual: Any, depth: int = 0) -> Any:
    """The value with true and false for 1 and 0, at any depth, where these are expected."""
    if isinstance(expected, bool) and type(actual) is int and actual in (0, 1):
        return bool(actual)
    if isinstance(expected, list) and isinstance(actual, list) and depth < _DEPTH:
        pairs = zip(expected, actual, strict=False)
        return [with_truths(e, a, depth + 1) for e, a in pairs] + actual[len(expected) :]
    return actual


def has_opaque_object(value: Any, depth: int = 0) -> bool:
    """Whether the value holds, at any depth, an object of which only the class is known."""
    if depth > _DEPTH:
        return False
    if isinstance(value, Mapping) and "__type__" in value and value.get("__repr__") == "":
        return True
    return any(has_opaque_object(member, depth + 1) for member in list_members(value))


def weakest_rung(rungs: Sequence[Reason | None]) -> Reason | None:
    """The rung farthest down the ladder; None if any is None, EXACT if there are none."""
    if None in rungs:
        return None
    return max(rungs, key=_RUNGS.index, default=Reason.EXACT)


def _compare_numbers(expected: float, actual: float) -> Reason | None:
    if type(expected) is type(actual) and expected == actual:
        return Reason.EXACT
    if max(abs(expected), abs(actual)) > sys.float_info.max:
        return None  # an infinity, or an integer beyond all floats
    if math.isnan(expected) and math.isnan(actual):
        return Reason.EXACT
    if isinstance(expected, int) and (isinstance(actual, int) or abs(expected) > 1 << 53):
        return Reason.NUMERIC if expected == actual else None  # integers are exact, however large
    nearly = 0 if expected else 1e-12  # a small number is no 0
    if math.isclose(expected, actual, rel_tol=1e-9, abs_tol=nearly):
        return Reason.NUMERIC
    return None


def _compare_single_precision(expected: Any, actual: Any) -> Reason | None:
    """Numbers where the program's own type has 24 bits: six digits are all that it can promise."""
    for number in (expected, actual):
        if isinstance(number, bool) or not isinstance(number, (int, float)):
            return None
    rung = _compare_numbers(float(expected), float(actual))
    if rung is None and math.isclose(expected, actual, rel_tol=1e-6):
        return Reason.NUMERIC
    return rung


def text_value(expected: str, actual: str) -> Reason | None:
    """Returned texts: equal, or apart only in the newlines at the end of several lines."""
    if expected == actual:
        return Reason.EXACT
    if "\n" in expected and _strip_newlines(expected) == _strip_newlines(actual):
        return Reason.STRUCTURAL
    return None


def text_output(expected: str, actual: str) -> Reason | None:
    """Printed or sent texts: white space at the end of lines and of the text is free."""
    if expected == actual:
        return Reason.EXACT
    if _trim_lines(expected) == _trim_lines(actual):
        return Reason.STRUCTURAL
    return None


def _strip_newlines(text: str) -> str:
    return text.replace("\r\n", "\n").rstrip("\n")


def _trim_lines(text: str) -> str:
    return "\n".join(map(str.rstrip, text.split("\n"))).rstrip()


def _compare_encoded_value(expected: Any, actual: Mapping[str, Any]) -> Reason | None:
    """Compares a value that JSON cannot hold, in the form in which the harness returns it."""
    if actual.keys() == {"__float__"} and isinstance(expected, float):
        return _compare_float_text(expected, actual["__float__"])
    if actual.keys() == {"__float32__"}:
        return _compare_single_precision(expected, actual["__float32__"])
    items = actual.get("__items__")
    if isinstance(items, list) and not isinstance(expected, str):
        if isinstance(expected, list) and actual.get("__tuple__") is True:
            return compare_values(expected, items)
        names = map(str, actual.get("__names__", ()))
        return compare_values(expected, dict(zip(names, items, strict=False)))
    if actual.keys() == {"__changed__"} and isinstance(actual["__changed__"], Mapping):
        return _compare_changed_arguments(expected, actual["__changed__"])
    if actual.keys() == {"__bytes__"} and isinstance(expected, (str, list)):
        return _compare_bytes(expected, actual["__bytes__"])
    if actual.keys() == {"__set__"} and isinstance(expected, list):
        return _compare_sets(expected, actual["__set__"])
    if "raises" in actual and isinstance(expected, Mapping) and "raises" in expected:
        return _compare_raised(str(expected["raises"]), actual)
    if "__type__" in actual:
        shown = str(actual.get("__repr__", ""))
        if type(expected) in (int, float):
            return _compare_exact_number(expected, shown)
        if isinstance(expected, str):
            return _compare_repr(expected, shown)
    return None


def strip_mark(value: Any) -> Any:
    """A value without the mark of its precision, or of the one argument that it is."""
    if not isinstance(value, Mapping) or len(value) != 1:
        return value
    ((mark, inner),) = value.items()
    if mark == "__float32__":
        return inner
    if mark == "__changed__" and isinstance(inner, Mapping) and len(inner) == 1:
        return next(iter(inner.values()))
    return value


def _compare_float_text(expected: float, text: Any) -> Reason | None:
    """A number that JSON does not have, as "nan" and "inf"."""
    if not isinstance(text, str):
        return None
    try:
        return _compare_numbers(expected, float(text))
    except ValueError:
        return None


def _compare_changed_arguments(expected: Any, changed: Mapping[str, Any]) -> Reason | None:
    """What a function that returns nothing made of its arguments: one of them, or all."""
    if expected is None:
        return Reason.EXACT
    values = [*changed.values()]
    for form in [values, dict(changed)] if len(values) > 1 else values:
        rung = compare_values(expected, form)
        if rung:
            return rung
    return None


def _compare_bytes(expected: str | list[Any], digits: Any) -> Reason | None:
    """Bytes against a text in UTF-8, or against a list of their numbers."""
    try:
        raw = bytes.fromhex(digits)
    except (ValueError, TypeError):
        return None
    numbers = [*expected.encode()] if isinstance(expected, str) else expected
    return Reason.STRUCTURAL if [*raw] == numbers else None


def _compare_raised(wanted: str, actual: Mapping[str, Any]) -> Reason | None:
    name = str(actual["raises"])
    bases = class_names(actual.get("bases"))
    if is_a(name, wanted, bases):
        return Reason.EXCEPTION_CLASS
    if "bases" in actual and stands_for(name, wanted, bases):
        return Reason.EXCEPTION_CLASS
    return None


def _compare_sets(expected: Sequence[Any], members: Any) -> Reason | None:
    if not isinstance(members, list) or len(members) != len(expected):
        return None
    unmatched = list(members)
    for wanted in expected:
        for position, member in enumerate(unmatched):
            if compare_values(wanted, member):
                del unmatched[position]
                break
        else:
            return None
    return Reason.STRUCTURAL


def _compare_exact_number(expected: float, shown: str) -> Reason | None:
    """A number against the repr of a Decimal or a Fraction."""
    match = _EXACT_NUMBER.fullmatch(shown)
    if not match:
        return None
    exact = Fraction(match[1]) / Fraction(match[2] or 1)
    return _compare_numbers(expected, int(exact) if exact.denominator == 1 else float(exact))


def _compare_repr(expected: str, shown: str) -> Reason | None:
    """An object against a text: its repr, or a JavaScript /pattern/ against the pattern."""
    if shown == expected:
        return Reason.STRUCTURAL
    end = shown.rfind("/")
    if shown.startswith("/") and end > 0:
        if shown[1:end].replace("\\/", "/") == expected.replace("\\/", "/"):
            return Reason.STRUCTURAL
    return None


def parse_json_or_literal(text: str) -> tuple[Any, ...]:
    """The value that a text is as JSON, else as a Python literal, in a tuple; () if neither."""
    if len(text) > 1_000_000:
        return ()
    try:
        return (json.loads(text),)
    except (ValueError, RecursionError):
        return languages.parse_literal(text)


def compare_printed_text(expected: Any, text: str) -> Reason | None:
    """A value against what was printed: as text, as JSON, as a Python literal."""
    if isinstance(expected, str):
        rung = text_output(expected, text)
        if rung is None and expected.lstrip().startswith(("{", "[")):
            for value in parse_json_or_literal(text):  # "{'a': 1}" printed as '{"a": 1}'
                return compare_container_text(expected, _convert_to_json(value))
        return rung
    for value in parse_json_or_literal(text):
        rung = compare_values(expected, _convert_to_json(value))
        if rung:
            return weakest_rung([rung, Reason.STRUCTURAL])
    return None


def compare_container_text(expected: str, actual: Any) -> Reason | None:
    """The text of a container against the container itself: "{'a': 1}" and {"a": 1}."""
    if not isinstance(actual, (Mapping, list)) or not expected.strip().startswith(("{", "[")):
        return None
    for value in parse_json_or_literal(expected):
        if compare_values(_convert_to_json(value), actual):
            return Reason.STRUCTURAL
    return None


def _convert_to_json(value: Any, depth: int = 0) -> Any:
    """A Python literal as JSON would hold it: tuples as lists, keys as text."""
    if depth > _DEPTH:
        return None
    if isinstance(value, (list, tuple)):
        return [_convert_to_json(v, depth + 1) for v in value]
    if isinstance(value, dict):
        return {_stringify_key(k): _convert_to_json(v, depth + 1) for k, v in value.items()}
    return value


def _stringify_key(key: Any) -> str:
    try:
        return str(key)
    except ValueError:  # an integer of more digits than Python writes
        return ""
