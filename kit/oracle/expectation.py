"""What a task expects (values, properties, prose, exceptions, errors), and what it leaves out."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from kit.oracle.compare import same
from kit.oracle.describe import strings
from kit.records import Task, Test

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


def fits(expected: Any, actual: Any, prompt: str = "") -> bool | None:
    """Whether `seen` has the properties; None where the expectation is prose."""
    if same(expected, actual):
        return True
    if names_properties(expected):
        return _has(expected, actual)
    if is_prose(expected, prompt):
        return None
    if isinstance(expected, Mapping) and isinstance(actual, Mapping):
        parts = [fits(v, actual[k], prompt) for k, v in expected.items() if k in actual]
        return expected.keys() == actual.keys() and _every(parts)
    if isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
        return _every([fits(e, s, prompt) for e, s in zip(expected, actual, strict=True)])
    return False


def _every(parts: list[bool | None]) -> bool | None:
    if False in parts:
        return False
    return None if None in parts else True


def _has(wanted: Mapping[str, Any], actual: Any) -> bool:
    size = len(actual) if isinstance(actual, (str, list, Mapping)) else None
    checks: Mapping[str, Callable[[Any], bool]] = {
        "type": lambda v: _typed(v, actual),
        "length": lambda v: size == v,
        "len": lambda v: size == v,
        "min_length": lambda v: size is not None and size >= v,
        "max_length": lambda v: size is not None and size <= v,
        "pattern": lambda v: isinstance(actual, str) and re.search(v, actual) is not None,
        "regex": lambda v: isinstance(actual, str) and re.search(v, actual) is not None,
        "starts_with": lambda v: isinstance(actual, str) and actual.startswith(v),
        "ends_with": lambda v: isinstance(actual, str) and actual.endswith(v),
        "contains": lambda v: isinstance(actual, (str, list, Mapping)) and v in actual,
        "minimum": lambda v: _number(actual) and actual >= v,
        "min": lambda v: _number(actual) and actual >= v,
        "maximum": lambda v: _number(actual) and actual <= v,
        "max": lambda v: _number(actual) and actual <= v,
        "file_content": lambda v: bool(actual) == bool(v),
    }
    try:
        return all(checks[key](value) for key, value in wanted.items() if key in checks)
    except TypeError:  # a property that a value of this kind cannot have, as a text a number
        return False


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _typed(name: str, actual: Any) -> bool:
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
    worded = [s for e in expected for s in strings(e) if not is_prose(e, task.prompt)]
    return tuple(dict.fromkeys(t for t in [*quoted, *worded] if is_error_text(t)))


def missing_file(task: Task, test: Test) -> str:
    """A file that a successful answer needs and the task does not provide, or ""."""
    if expects_error(test.expected):
        return ""
    if name := missing_database(task):
        return name
    served = [s.get("path", "") for s in task.services]
    inputs = test.input if isinstance(test.input, Mapping) else {}
    brought = _files_of(inputs)  # null says that one is not there
    written = [name for t in task.tests for name in _files_of(t.expected)]
    own = [inputs.get("file_path", ""), *(k for k, v in brought.items() if v is not None)]
    there = {_last(str(p)) for p in (*task.files, *served, *own, *written)}
    texts = [t for t in strings(test.input) if len(t) < 300 and _last(t) not in there]
    named = [f for text in texts for f in _FILE.findall(text)]
    prompted = _HOME.findall(task.prompt) if "test_dir" in task.prompt else []
    if "test_dir" not in task.prompt and not task.files:
        named = []
    lacking = [f for f in [*named, *prompted] if _last(f) not in there]
    # names without an ending in a query, where other tests name fixtures in that way
    stems = {_last(p).rpartition(".")[0] for p in task.files} - {""}
    if stems & {n for t in task.tests for n in _query_words(t)}:
        lacking += [n for n in _query_words(test) if n not in stems]
    return next(iter(lacking), "")


def _files_of(value: Any) -> Mapping[str, Any]:
    files = value.get("files") if isinstance(value, Mapping) else None
    return files if isinstance(files, Mapping) else {}


def missing_input(task: Task, test: Test) -> str:
    """A fixture that a security test is about and the task does not provide, or ""."""
    absent = re.compile(r"missing|non-?exist|not exist|absent|no such", re.I)
    named = [test.input] if isinstance(test.input, str) else []
    if isinstance(test.input, Mapping):
        named = [v for v in test.input.values() if isinstance(v, str)]
    if not task.files or absent.search(test.behavior):
        return ""
    there = {_last(p) for p in task.files}
    names = [n for n in named if _FILE.fullmatch(n) and not absent.search(n)]
    return next((n for n in names if _last(n) not in there), "")


def missing_database(task: Task) -> str:
    """A database file that the prompt names and the task does not provide, or ""."""
    paths = [str(s.get("path", "")) for s in task.services]
    there = {_last(p) for p in (*task.files, *paths)}
    return next((d for d in _DATABASE.findall(task.prompt) if _last(d) not in there), "")


def _query_words(test: Test) -> list[str]:
    return re.findall(r"=([\w-]+)$", test.input) if isinstance(test.input, str) else []


def missing_server(task: Task, test: Test) -> str:
    """A host of the input that the task plays no server for, or ""."""
    if any(s.get("type") in ("http", "https", "ftp") for s in task.services):
        return ""
    urls = [u for t in strings(test.input) for u in re.findall(r"^(?:https?|ftp)://[^/\s]+", t)]
    return urls[0] if urls else ""


def _last(path: str) -> str:
    return path.rpartition("/")[2]


def unsaid(expected: Any, prompt: str) -> str:
    """A word of the expected error, or a name of a part, that the prompt never mentions; or ""."""
    parts = expected if isinstance(expected, Mapping) else {}
    wrapper = {"status_code", "status", "content", "body", "response_body", "content_type"}
    wrapper |= {"headers", "json"}
    keys = [k for k in parts if k not in wrapper and not re.search(rf"\b{re.escape(k)}\b", prompt)]
    texts = [s for s in strings(expected) if s not in parts and is_error_text(s)]
    return next((t for t in [*texts, *keys] if t not in prompt), "")
