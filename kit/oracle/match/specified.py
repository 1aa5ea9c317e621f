"""What the text of a task says, and what it leaves out: error answers, files, words."""

import re
from collections.abc import Mapping
from typing import Any

from kit.oracle.describe import strings
from kit.oracle.match.answer import expected_classes
from kit.oracle.match.shape import is_prose
from kit.records import Task, Test

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
    told = [s for e in expected for s in strings(e) if not is_prose(e, task.prompt)]
    return tuple(dict.fromkeys(t for t in [*quoted, *told] if is_error_text(t)))


def missing_file(task: Task, test: Test) -> str:
    """A file that a successful answer needs and the task does not provide, or ""."""
    if expects_error(test.expected):
        return ""
    if name := missing_database(task):
        return name
    given = _brought(test.input) if isinstance(test.input, Mapping) else []
    served = [s.get("path", "") for s in task.services]
    there = {_last(str(p)) for p in (*task.files, *served, *given, *_written(task))}
    texts = [t for t in strings(test.input) if len(t) < 300 and _last(t) not in there]
    named = [f for text in texts for f in _FILE.findall(text)]
    prompted = _HOME.findall(task.prompt) if "test_dir" in task.prompt else []
    if "test_dir" not in task.prompt and not task.files:
        named = []
    lacking = [f for f in [*named, *prompted] if _last(f) not in there]
    return next(iter([*lacking, *_stems(task, test)]), "")


def _brought(value: Mapping[str, Any]) -> list[str]:
    """The files that an input brings along; null says that one is not there."""
    files = value.get("files")
    brought = [k for k, v in files.items() if v is not None] if isinstance(files, Mapping) else []
    return [value.get("file_path", ""), *brought]


def _written(task: Task) -> list[str]:
    """The files that a test of the task expects the program to write."""
    wanted = [t.expected.get("files") for t in task.tests if isinstance(t.expected, Mapping)]
    return [name for files in wanted if isinstance(files, Mapping) for name in files]


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


def _stems(task: Task, test: Test) -> list[str]:
    """Names without an ending in a query, where other tests name fixtures in that way."""
    stems = {_last(p).rpartition(".")[0] for p in task.files} - {""}
    asked = [n for t in task.tests for n in _query_words(t)]
    return [n for n in _query_words(test) if n not in stems] if stems & set(asked) else []


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
