"""Compares what a task expects with what a program answered.

The ladder of comparisons for two values and two texts; then expectations that are no value:
properties, prose, exceptions and errors, and what a task leaves out.
"""

import json
import math
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from posixpath import basename
from typing import Any

from kit.core import languages
from kit.core.records import Reason, Task, Test
from kit.oracle.exceptions import class_names, is_a, stands_for
from kit.oracle.facts import collect_strings

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
    if (
        isinstance(actual, Mapping)
        and (rung := _compare_encoded_value(expected, actual)) is not None
    ):
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
        actual = [*actual.values()]
    if isinstance(expected, Mapping) and isinstance(actual, Mapping):
        return {
            name: without_unset(expected.get(name), value, depth + 1)
            for name, value in actual.items()
            if name in expected or value
        }
    if isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
        return [without_unset(e, a, depth + 1) for e, a in zip(expected, actual, strict=True)]
    return actual


def is_cut(value: Any, depth: int = 0) -> bool:
    """Whether the value holds, at any depth, what has more parts than the kit can carry."""
    if depth > _DEPTH or not isinstance(value, (Mapping, list)):
        return False
    members = value.values() if isinstance(value, Mapping) else value
    return _TOO_LARGE in members or any(is_cut(v, depth + 1) for v in members)


def is_carried(value: Any) -> bool:
    """Whether a value of this size comes whole from a box: one that was cut is another."""
    level, parts = [value], 0
    for _ in range(_DEPTH):
        parts += len(level)
        inner = [v for v in level if isinstance(v, (Mapping, list))]
        level = [p for v in inner for p in (v.values() if isinstance(v, Mapping) else v)]
    return not level and parts <= _PARTS


def with_truths(expected: Any, actual: Any, depth: int = 0) -> Any:
    """The value with true and false for 1 and 0, at any depth, where these are expected."""
    if isinstance(expected, bool) and type(actual) is int and actual in (0, 1):
        return bool(actual)
    if isinstance(expected, list) and isinstance(actual, list) and depth < _DEPTH:
        pairs = zip(expected, actual, strict=False)
        return [*(with_truths(e, a, depth + 1) for e, a in pairs), *actual[len(expected) :]]
    return actual


def has_opaque_object(value: Any, depth: int = 0) -> bool:
    """Whether the value holds, at any depth, an object of which only the class is known."""
    if depth > _DEPTH or not isinstance(value, (Mapping, list)):
        return False
    if isinstance(value, Mapping) and "__type__" in value and value.get("__repr__") == "":
        return True
    members = value.values() if isinstance(value, Mapping) else value
    return any(has_opaque_object(v, depth + 1) for v in members)


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
    if math.isnan(expected) or math.isnan(actual):
        return Reason.EXACT if math.isnan(expected) and math.isnan(actual) else None
    if isinstance(expected, int) and (isinstance(actual, int) or abs(expected) > 1 << 53):
        return Reason.NUMERIC if expected == actual else None  # integers are exact, however large
    nearly = 0 if expected else 1e-12  # a small number is no 0
    return Reason.NUMERIC if math.isclose(expected, actual, rel_tol=1e-9, abs_tol=nearly) else None


def _compare_single_precision(expected: Any, actual: Any) -> Reason | None:
    """Numbers where the program's own type has 24 bits: six digits are all that it can promise."""
    numbers = (isinstance(n, (int, float)) and not isinstance(n, bool) for n in (expected, actual))
    if not all(numbers):
        return None
    if rung := _compare_numbers(float(expected), float(actual)):
        return rung
    return Reason.NUMERIC if math.isclose(expected, actual, rel_tol=1e-6) else None


def text_value(expected: str, actual: str) -> Reason | None:
    """Returned texts: equal, or apart only in the newlines at the end of several lines."""
    if expected == actual:
        return Reason.EXACT
    if "\n" in expected and _unify_newlines(expected).rstrip("\n") == _unify_newlines(
        actual
    ).rstrip("\n"):
        return Reason.STRUCTURAL
    return None


def text_output(expected: str, actual: str) -> Reason | None:
    """Printed or sent texts: white space at the end of lines and of the text is free."""
    if expected == actual:
        return Reason.EXACT
    return Reason.STRUCTURAL if _trim_lines(expected) == _trim_lines(actual) else None


def _unify_newlines(text: str) -> str:
    return text.replace("\r\n", "\n")


def _trim_lines(text: str) -> str:
    return "\n".join(line.rstrip() for line in _unify_newlines(text).split("\n")).rstrip()


def _compare_encoded_value(expected: Any, actual: Mapping[str, Any]) -> Reason | None:
    """Compares a value that JSON cannot hold, in the form in which the harness returns it."""
    if actual.keys() == {"__float__"} and isinstance(expected, float):
        text = actual["__float__"]
        try:
            return _compare_numbers(expected, float(text)) if isinstance(text, str) else None
        except ValueError:
            return None
    if actual.keys() == {"__float32__"}:
        return _compare_single_precision(expected, actual["__float32__"])
    if isinstance(items := actual.get("__items__"), list) and not isinstance(expected, str):
        fields = dict(zip(map(str, actual.get("__names__", ())), items, strict=False))
        is_list = isinstance(expected, list) and actual.get("__tuple__") is True
        return compare_values(expected, items if is_list else fields)
    if actual.keys() == {"__changed__"} and isinstance(actual["__changed__"], Mapping):
        # What a function that returns nothing made of its arguments: one of them, or all.
        changed = actual["__changed__"]
        forms = [[*changed.values()], dict(changed)] if len(changed) > 1 else [*changed.values()]
        rungs = [compare_values(expected, form) for form in forms]
        return Reason.EXACT if expected is None else next(filter(None, rungs), None)
    if actual.keys() == {"__bytes__"} and isinstance(expected, (str, list)):
        try:
            raw = bytes.fromhex(actual["__bytes__"])
        except (ValueError, TypeError):
            return None
        agree = raw == expected.encode() if isinstance(expected, str) else [*raw] == expected
        return Reason.STRUCTURAL if agree else None
    if actual.keys() == {"__set__"} and isinstance(expected, list):
        return _compare_sets(expected, actual["__set__"])
    if "raises" in actual and isinstance(expected, Mapping) and "raises" in expected:
        name, wanted = str(actual["raises"]), str(expected["raises"])
        bases = class_names(actual.get("bases"))
        alike = is_a(name, wanted, bases) or ("bases" in actual and stands_for(name, wanted, bases))
        return Reason.EXCEPTION_CLASS if alike else None
    if "__type__" in actual and type(expected) in (int, float):
        number = _EXACT_NUMBER.fullmatch(str(actual.get("__repr__", "")))
        return _compare_numbers(expected, _plain_number(number)) if number else None
    if "__type__" in actual and isinstance(expected, str):
        return _compare_repr(expected, str(actual.get("__repr__", "")))
    return None


def strip_mark(value: Any) -> Any:
    """A value without the mark of its precision, or of the one argument that it is."""
    for inner in value.values() if isinstance(value, Mapping) and len(value) == 1 else ():
        if "__float32__" in value:
            return inner
        if "__changed__" in value and isinstance(inner, Mapping) and len(inner) == 1:
            return next(iter(inner.values()))
    return value


def _compare_sets(expected: Sequence[Any], members: Any) -> Reason | None:
    if not isinstance(members, list) or len(members) != len(expected):
        return None
    left = list(members)
    for wanted in expected:
        match = next((i for i, m in enumerate(left) if compare_values(wanted, m)), None)
        if match is None:
            return None
        del left[match]
    return Reason.STRUCTURAL


def _plain_number(number: re.Match[str]) -> float:
    exact = Fraction(number[1]) / Fraction(number[2] or 1)
    return int(exact) if exact.denominator == 1 else float(exact)


def _compare_repr(expected: str, shown: str) -> Reason | None:
    """An object against a text: its repr, or a JavaScript /pattern/ against the pattern."""
    if shown == expected:
        return Reason.STRUCTURAL
    slashed = shown.startswith("/") and shown.rfind("/") > 0
    if slashed and shown[1 : shown.rfind("/")].replace("\\/", "/") == expected.replace("\\/", "/"):
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
        return text_output(expected, text) or _literal_text(expected, text)
    for value in parse_json_or_literal(text):
        if rung := compare_values(expected, _convert_to_json(value)):
            return weakest_rung([rung, Reason.STRUCTURAL])
    return None


def _literal_text(expected: str, text: str) -> Reason | None:
    """Two texts of one container: "{'a': 1}" printed as '{"a": 1}'."""
    if not expected.lstrip().startswith(("{", "[")):
        return None
    wanted, got = parse_json_or_literal(expected), parse_json_or_literal(text)
    agree = any(
        compare_values(_convert_to_json(w), _convert_to_json(g)) for w in wanted for g in got
    )
    return Reason.STRUCTURAL if agree else None


def compare_container_text(expected: str, actual: Any) -> Reason | None:
    """The text of a container against the container itself: "{'a': 1}" and {"a": 1}."""
    if not isinstance(actual, (Mapping, list)) or not expected.strip().startswith(("{", "[")):
        return None
    agree = any(
        compare_values(_convert_to_json(value), actual) for value in parse_json_or_literal(expected)
    )
    return Reason.STRUCTURAL if agree else None


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


_TYPES: Mapping[str, type | tuple[type, ...]] = {
    "string": str,
    "str": str,
    "text": str,
    "integer": int,
    "int": int,
    "number": (int, float),
    "float": (int, float),
    "boolean": bool,
    "bool": bool,
    "list": list,
    "array": list,
    "object": Mapping,
    "dict": Mapping,
    "null": type(None),
    "none": type(None),
}
_WORDS = frozenset(
    "type length len min_length max_length pattern regex starts_with ends_with contains minimum "
    "maximum min max description valid file_content note".split()
)
_SYNONYMS = {"len": "length", "regex": "pattern", "min": "minimum", "max": "maximum"}
_MARKS = frozenset("type pattern regex length len min_length max_length starts_with".split())
_PROSE = re.compile(
    r"(an? |any |some |either |the )?"
    r"(errors?(?!:)|exceptions?|should|must|raises?|throws?|returns?|non-?empty|any|some|either|valid)\b",
    re.I,
)


def names_properties(expected: Any) -> bool:
    """Whether an object describes the answer: it has property words only, one of _MARKS."""
    return (
        isinstance(expected, Mapping)
        and set(expected) <= _WORDS
        and bool(set(expected) & _MARKS)
        and isinstance(expected.get("type", ""), str)
    )


def is_prose(expected: Any, prompt: str = "") -> bool:
    """Whether a text describes the answer and is not the answer: the prompt does not quote it."""
    if not isinstance(expected, str) or len(expected.split()) < 3:
        return False
    return bool(_PROSE.match(expected.strip())) and expected.strip() not in prompt


def has_expected_properties(expected: Any, actual: Any, prompt: str = "") -> bool | None:
    """Whether an answer has the expected properties; None if the expectation is prose."""
    if compare_values(expected, actual):
        return True
    actual = strip_mark(actual)
    if names_properties(expected):
        return _has_properties(expected, actual)
    if is_prose(expected, prompt):
        return None
    if isinstance(expected, Mapping) and isinstance(actual, Mapping):
        parts = [
            has_expected_properties(v, actual[k], prompt)
            for k, v in expected.items()
            if k in actual
        ]
        return expected.keys() == actual.keys() and _combine_parts(parts)
    if isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
        return _combine_parts(
            [has_expected_properties(e, s, prompt) for e, s in zip(expected, actual, strict=True)]
        )
    return False


def _combine_parts(parts: list[bool | None]) -> bool | None:
    if False in parts:
        return False
    return None if None in parts else True


def _has_properties(wanted: Mapping[str, Any], actual: Any) -> bool:
    size = len(actual) if isinstance(actual, (str, list, Mapping)) else None
    number = isinstance(actual, (int, float)) and not isinstance(actual, bool)
    checks: Mapping[str, Callable[[Any], bool]] = {
        "type": lambda v: _has_type(v, actual),
        "length": lambda v: size == v,
        "min_length": lambda v: size is not None and size >= v,
        "max_length": lambda v: size is not None and size <= v,
        "pattern": lambda v: isinstance(actual, str) and re.search(v, actual) is not None,
        "starts_with": lambda v: isinstance(actual, str) and actual.startswith(v),
        "ends_with": lambda v: isinstance(actual, str) and actual.endswith(v),
        "contains": lambda v: isinstance(actual, (str, list, Mapping)) and v in actual,
        "minimum": lambda v: number and actual >= v,
        "maximum": lambda v: number and actual <= v,
        "file_content": lambda v: bool(actual) == bool(v),
    }
    try:
        properties = ((_SYNONYMS.get(key, key), value) for key, value in wanted.items())
        return all(checks[key](value) for key, value in properties if key in checks)
    except TypeError:  # the actual value cannot have such a property
        return False


def _has_type(name: str, actual: Any) -> bool:
    if isinstance(actual, Mapping) and "__type__" in actual:
        return str(actual["__type__"]).rpartition(".")[2] == name.rpartition(".")[2]
    kind = _TYPES.get(name.lower())
    if kind is None:
        return False
    return isinstance(actual, kind) and (kind is bool or not isinstance(actual, bool))


_CLASS = re.compile(
    r"(?:[A-Za-z_]\w*(?:\.|::))*[A-Z]\w*(?:Error|Exception|Warning|Exit|Interrupt)"
    r"|std::[a-z_]+|KeyboardInterrupt"
)
_ENDINGS = "txt|yaml|yml|json|xml|xsd|csv|db|sqlite3?|html?|tpl|ini|pdf|log|tar|gz|zip"
_FILE = re.compile(rf"(?:[\w.-]+/)*[\w-]+\.(?:{_ENDINGS})\b", re.I)
_HOME = re.compile(rf"(?:\./)?((?:test_dir|resources|data)/(?:[\w.-]+/)*[\w-]+\.(?:{_ENDINGS}))\b")
_DATABASE = re.compile(r"[\w./-]+\.(?:db|sqlite3?)\b")
_ERROR = re.compile(
    r"\berrors?\b|\binvalid\b|not found|denied|missing|\bfail|unsafe|\bempty\b|forbidden|"
    r"not allowed|rejected|unauthorized",
    re.I,
)
_OF_RESPONSES = frozenset(  # parts of a response, which a prompt need not name
    "status_code status content body response_body content_type headers json".split()
)
_QUOTED = re.compile(r"\"([^\"\n]{3,120})\"|'([^'\n]{3,120})'|`([^`\n]{3,120})`")


def expected_classes(expected: Any) -> tuple[str, ...]:
    """The exception classes that an expectation names: {"raises": ...} or a bare class name."""
    if isinstance(expected, Mapping):
        names = next((expected[k] for k in ("raises", "exception", "error") if k in expected), ())
        names = [names] if isinstance(names, str) else names if isinstance(names, list) else []
        explicit = "raises" in expected or "exception" in expected
        return tuple(n for n in names if isinstance(n, str) and (explicit or _CLASS.fullmatch(n)))
    if isinstance(expected, str) and _CLASS.fullmatch(expected.strip()):
        return (expected.strip(),)
    return ()


def is_error_text(text: str) -> bool:
    """A short text that says that something is wrong."""
    return len(text) <= 300 and bool(_ERROR.search(text))


def expects_error(expected: Any) -> bool:
    """Whether an expected output is a refusal: an exception, a 4xx or 5xx, an error text."""
    if isinstance(expected, Mapping):
        status = expected.get("status_code")
        if isinstance(status, int) and status >= 400:
            return True
        named = "raises" in expected or "exception" in expected or bool(expected.get("error"))
        return named or expected.get("type") == "error"
    if not isinstance(expected, str):
        return False
    return bool(expected_classes(expected)) or is_error_text(expected)


def error_texts(task: Task) -> tuple[str, ...]:
    """The error answers that a task defines: quoted in its prompt, or expected by its tests."""
    quoted = [next(filter(None, m.groups())) for m in _QUOTED.finditer(task.prompt)]
    expected = [t.expected for t in task.tests if expects_error(t.expected)]
    worded = [s for e in expected for s in collect_strings(e) if not is_prose(e, task.prompt)]
    return tuple(dict.fromkeys(filter(is_error_text, [*quoted, *worded])))


def missing_file(task: Task, test: Test) -> str:
    """A file that a successful answer needs and the task does not provide, or ""."""
    printed = test.expected if isinstance(test.expected, Mapping) else {}
    is_refusal = printed.get("exit_code") or expects_error(printed.get("stdout"))
    if is_refusal or expects_error(test.expected):
        return ""
    served = [str(s.get("path", "")) for s in task.services]
    provided = {*map(basename, (*task.files, *served))}
    databases = _DATABASE.findall(task.prompt)
    if lacking := [d for d in databases if basename(d) not in provided]:
        return str(lacking[0])
    inputs = test.input if isinstance(test.input, Mapping) else {}
    brought = _files_of(inputs)  # null says that one is not there
    written = [name for t in task.tests for name in _files_of(t.expected)]
    own = [inputs.get("file_path", ""), *(k for k, v in brought.items() if v is not None)]
    there = provided | {basename(str(p)) for p in (*own, *written)}
    texts = [t for t in collect_strings(test.input) if len(t) < 300 and basename(t) not in there]
    named = [f for text in texts for f in _FILE.findall(text)]
    prompted = _HOME.findall(task.prompt) if "test_dir" in task.prompt else []
    if "test_dir" not in task.prompt and not task.files:
        named = []
    lacking = [f for f in [*named, *prompted] if basename(f) not in there]
    # names without an ending in a query, where other tests name fixtures in that way
    stems = {basename(p).rpartition(".")[0] for p in task.files} - {""}
    if stems & {n for t in task.tests for n in _query_words(t)}:
        lacking += [n for n in _query_words(test) if n not in stems]
    return next(iter(lacking), "")


def _files_of(value: Any) -> Mapping[str, Any]:
    files = value.get("files") if isinstance(value, Mapping) else None
    return files if isinstance(files, Mapping) else {}


def _query_words(test: Test) -> list[str]:
    return re.findall(r"=([\w-]+)$", test.input) if isinstance(test.input, str) else []


def missing_server(task: Task, test: Test) -> str:
    """A host of the input that the task plays no server for, or ""."""
    if any(s.get("type") in ("http", "https", "ftp") for s in task.services):
        return ""
    urls = [
        u for t in collect_strings(test.input) for u in re.findall(r"^(?:https?|ftp)://[^/\s]+", t)
    ]
    return urls[0] if urls else ""


def find_unsaid_word(expected: Any, prompt: str) -> str:
    """A word of the expected error, or a name of a part, that the prompt never mentions; or ""."""
    parts = expected if isinstance(expected, Mapping) else {}
    own = [k for k in parts if k not in _OF_RESPONSES]
    keys = [k for k in own if not re.search(rf"\b{re.escape(k)}\b", prompt)]
    texts = [s for s in collect_strings(expected) if s not in parts and is_error_text(s)]
    return next((t for t in [*texts, *keys] if t not in prompt), "")
