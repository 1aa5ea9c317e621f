"""What a task expects, where that is no value: properties, prose, exceptions and errors.

Last what a task leaves out: a file or a server that the expected answer needs, a word of it.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from posixpath import basename
from typing import Any

from kit.core.records import Task, Test
from kit.oracle.compare import compare_values, strip_mark
from kit.oracle.facts import collect_strings

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
_MARKS = frozenset("type pattern regex length len min_length max_length starts_with".split())
_PROSE = re.compile(
    r"(an? |any |some |either |the )?"
    r"(errors?(?!:)|exceptions?|should|must|raises?|throws?|returns?|non-?empty|any|some|either|valid)\b",
    re.I,
)
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
_QUOTED = re.compile(r"\"[^\"\n]{3,120}\"|'[^'\n]{3,120}'|`[^`\n]{3,120}`")


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
    value = strip_mark(actual)
    if names_properties(expected):
        return _has_properties(expected, value)
    if is_prose(expected, prompt):
        return None
    if isinstance(expected, Mapping) and isinstance(value, Mapping):
        if expected.keys() != value.keys():
            return False
        return _combine_parts(
            [has_expected_properties(part, value[k], prompt) for k, part in expected.items()]
        )
    if isinstance(expected, list) and isinstance(value, list) and len(expected) == len(value):
        pairs = zip(expected, value, strict=True)
        return _combine_parts([has_expected_properties(e, v, prompt) for e, v in pairs])
    return False


def _combine_parts(parts: list[bool | None]) -> bool | None:
    if False in parts:
        return False
    return None if None in parts else True


def _has_properties(wanted: Mapping[str, Any], actual: Any) -> bool:
    try:
        return all(_has_property(name, value, actual) for name, value in wanted.items())
    except TypeError:  # the actual value cannot have such a property
        return False


def _has_property(name: str, wanted: Any, actual: Any) -> bool:
    size = len(actual) if isinstance(actual, (str, list, Mapping)) else None
    is_number = isinstance(actual, (int, float)) and not isinstance(actual, bool)
    match name:
        case "type":
            return _has_type(wanted, actual)
        case "length" | "len":
            return bool(size == wanted)
        case "min_length":
            return size is not None and size >= wanted
        case "max_length":
            return size is not None and size <= wanted
        case "pattern" | "regex":
            return isinstance(actual, str) and re.search(wanted, actual) is not None
        case "starts_with":
            return isinstance(actual, str) and actual.startswith(wanted)
        case "ends_with":
            return isinstance(actual, str) and actual.endswith(wanted)
        case "contains":
            return isinstance(actual, (str, list, Mapping)) and wanted in actual
        case "minimum" | "min":
            return is_number and bool(actual >= wanted)
        case "maximum" | "max":
            return is_number and bool(actual <= wanted)
        case "file_content":
            return bool(actual) == bool(wanted)
    return True  # a word for readers


def _has_type(name: str, actual: Any) -> bool:
    if isinstance(actual, Mapping) and "__type__" in actual:
        return str(actual["__type__"]).rpartition(".")[2] == name.rpartition(".")[2]
    kind = _TYPES.get(name.lower())
    if kind is None or not isinstance(actual, kind):
        return False
    return kind is bool or not isinstance(actual, bool)


def expected_classes(expected: Any) -> tuple[str, ...]:
    """The exception classes that an expectation names: {"raises": ...} or a bare class name."""
    if isinstance(expected, str):
        name = expected.strip()
        return (name,) if _CLASS.fullmatch(name) else ()
    if not isinstance(expected, Mapping):
        return ()
    for key in ("raises", "exception", "error"):
        if key in expected:
            named = expected[key]
            listed = named if isinstance(named, list) else [named]
            classes = [name for name in listed if isinstance(name, str)]
            if key == "error":  # may be a sentence
                return tuple(filter(_CLASS.fullmatch, classes))
            return tuple(classes)
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
    texts = [match[0][1:-1] for match in _QUOTED.finditer(task.prompt)]
    for test in task.tests:
        if expects_error(test.expected) and not is_prose(test.expected, task.prompt):
            texts += collect_strings(test.expected)
    return tuple(dict.fromkeys(filter(is_error_text, texts)))


def missing_file(task: Task, test: Test) -> str:
    """A file that a successful answer needs and the task does not provide, or "".

    These are guesses from the words of prompt and input; the surest comes first.
    """
    printed = test.expected if isinstance(test.expected, Mapping) else {}
    is_refusal = printed.get("exit_code") or expects_error(printed.get("stdout"))
    if is_refusal or expects_error(test.expected):
        return ""
    guesses = (
        _guess_database,
        _guess_file_of_input,
        _guess_file_of_prompt,
        _guess_fixture_of_query,
    )
    for guess in guesses:
        absent = guess(task, test)
        if absent:
            return absent
    return ""


def _guess_database(task: Task, _test: Test) -> str:
    """A database of the prompt: "The users are in data/users.db"."""
    return _find_absent(_DATABASE.findall(task.prompt), _provided_names(task))


def _guess_file_of_input(task: Task, test: Test) -> str:
    """A file that the input names, where the task has files: {"path": "reports/may.csv"}."""
    if "test_dir" not in task.prompt and not task.files:
        return ""
    names = _present_names(task, test)
    for text in collect_strings(test.input):
        if len(text) < 300 and basename(text) not in names:
            absent = _find_absent(_FILE.findall(text), names)
            if absent:
                return absent
    return ""


def _guess_file_of_prompt(task: Task, test: Test) -> str:
    """A file of a folder of tests: "It runs in test_dir and reads resources/config.yaml"."""
    if "test_dir" not in task.prompt:
        return ""
    return _find_absent(_HOME.findall(task.prompt), _present_names(task, test))


def _guess_fixture_of_query(task: Task, test: Test) -> str:
    """A file without its ending, where another test names a fixture so: "GET /page?name=about"."""
    stems = {basename(path).rpartition(".")[0] for path in task.files} - {""}
    word = _query_word(test)
    if word not in stems and stems.intersection(map(_query_word, task.tests)):
        return word
    return ""


def _query_word(test: Test) -> str:
    """The value at the end of a query, or ""."""
    match = re.search(r"=([\w-]+)$", test.input) if isinstance(test.input, str) else None
    return match[1] if match else ""


def _find_absent(paths: Iterable[str], names: Collection[str]) -> str:
    """The first path that does not end in one of the names, or ""."""
    for path in paths:
        if basename(path) not in names:
            return path
    return ""


def _provided_names(task: Task) -> set[str]:
    """The names, without their folders, of the files that the task brings or serves."""
    served = [str(service.get("path", "")) for service in task.services]
    return {*map(basename, (*task.files, *served))}


def _present_names(task: Task, test: Test) -> set[str]:
    """The names of the files provided, brought by the input, or written by some good answer."""
    inputs = test.input if isinstance(test.input, Mapping) else {}
    paths = [inputs.get("file_path", "")]
    for name, content in _files_of(inputs).items():
        if content is not None:  # null says that one is not there
            paths.append(name)
    for each in task.tests:
        paths += _files_of(each.expected)
    return _provided_names(task).union(map(basename, map(str, paths)))


def _files_of(value: Any) -> Mapping[str, Any]:
    files = value.get("files") if isinstance(value, Mapping) else None
    return files if isinstance(files, Mapping) else {}


def missing_server(task: Task, test: Test) -> str:
    """A host of the input that the task plays no server for, or ""."""
    if any(s.get("type") in ("http", "https", "ftp") for s in task.services):
        return ""
    for text in collect_strings(test.input):
        match = re.match(r"(?:https?|ftp)://[^/\s]+", text)
        if match:
            return match[0]
    return ""


def find_unsaid_word(expected: Any, prompt: str) -> str:
    """A word of the expected error, or a name of a part, that the prompt never mentions; or ""."""
    parts: Mapping[str, Any] = expected if isinstance(expected, Mapping) else {}
    for text in collect_strings(expected):
        if text not in parts and is_error_text(text) and text not in prompt:
            return text
    for key in parts:
        if key not in _OF_RESPONSES and key not in prompt:
            return key
    return ""
