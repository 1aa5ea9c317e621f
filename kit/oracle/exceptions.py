"""Tells what an exception says: its class in another language's words, an accident, a trace."""

import builtins
import re
from collections.abc import Mapping
from typing import Any

from kit.core.languages import LANGUAGES
from kit.core.records import TRACEBACK, Raised
from kit.oracle.facts import Case

_AT = re.compile(r":\d+:\d+$")
_JAVA = re.compile(r"at [\w.$]+\([\w$]+\.java:\d+\)")
ACCIDENTS = frozenset(
    "AttributeError NameError UnboundLocalError IndexError KeyError ZeroDivisionError "
    "RecursionError MemoryError AssertionError ImportError ModuleNotFoundError SyntaxError "
    "SystemError OverflowError UnicodeDecodeError UnicodeEncodeError StopIteration EOFError "
    "BufferError ReferenceError".split()
)
_SLIP = re.compile(
    r"unsupported operand|can only concatenate|is not subscriptable|'NoneType' object|"
    r"is not iterable|has no len\(\)|not supported between|must be str, (?:bytes|not)|"
    r"object is not callable|required positional argument|expected str, bytes|bytes-like object|"
    r"argument must be a string|indices must be integers|values to unpack|^\[Errno \d+\]|"
    r"unable to open database file|no such table|Exceeds the limit|"
    r"^E[A-Z]{3,}: "
)
NO_ROUTE = re.compile(
    r"name or service not known|temporary failure in name resolution|getaddrinfo|ENOTFOUND|"
    r"EAI_AGAIN|connection refused|network is unreachable|no route to host|timed out",
    re.I,
)
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
# JavaScript's own classes descend from Error, but say more than that
_OWN = frozenset(
    {"EvalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError", "URIError"}
)


def stands_for(name: str, wanted: str, bases: tuple[str, ...]) -> bool:
    """Whether an exception of another language is what Python would call `wanted`."""
    classes = {name, *bases}
    # JavaScript's classes descend from Error, those of C++ are in a namespace
    is_foreign = classes & {"Error", "c_error"} or any("::" in name for name in classes)
    if "BaseException" in classes or not is_foreign:
        return False
    equal = EQUAL.get(wanted.rpartition(".")[2], frozenset())
    if name in _OWN:
        return name in equal
    return not equal.isdisjoint({name, *bases})


def class_names(value: Any) -> tuple[str, ...]:
    """The class names in what should be a list of them, whatever a program wrote there."""
    return tuple(map(str, value)) if isinstance(value, list) else ()


def is_a(name: str, wanted: str, bases: tuple[str, ...]) -> bool:
    """Whether the exception class `name` is `wanted` or descends from it."""
    last_wanted = wanted.rpartition(".")[2]
    for each in (name, *bases):
        last = each.rpartition(".")[2]
        if last_wanted in (last, last.rpartition("::")[2]):
            return True
    builtin = getattr(builtins, name.rpartition(".")[2], None)
    ancestor = getattr(builtins, last_wanted, None)
    if not isinstance(builtin, type) or not isinstance(ancestor, type):
        return False
    return issubclass(builtin, BaseException) and issubclass(builtin, ancestor)


def is_raised_as(wanted: str, raised: Raised, *, language: str) -> bool:
    """is_a; in a language that lacks Python's class, any exception that is no accident."""
    name = wanted.rpartition(".")[2]
    if is_a(raised.name, name, raised.bases):
        return True
    if language == "python" or name in LANGUAGES[language].errors:
        return False
    is_python_class = isinstance(getattr(builtins, name, None), type)
    return is_python_class and not _is_accident(raised.name, raised.message, language)


def find_accident(case: Case, prompt: str = "") -> str:
    """The class of an exception that nobody raises on purpose, unless the prompt names it."""
    raised = case.evidence.raised
    if raised is None:
        return ""
    name = raised.name.rpartition(".")[2]
    if not name or re.search(rf"\b{re.escape(name)}\b", prompt):
        return ""
    return name if _is_accident(name, raised.message, case.language) else ""


def _is_accident(name: str, message: str, language: str) -> bool:
    """Whether a program raises this exception by mistake only, by its class or its message."""
    messages = LANGUAGES[language].accidents
    return name in ACCIDENTS or bool(messages and re.search(messages, message))


def is_worded_by_runtime(raised: Raised) -> bool:
    """Whether the language or the system worded the exception, not the program."""
    return bool(_SLIP.search(raised.message))


def is_host_unreachable(raised: Raised) -> bool:
    """Whether what went wrong is, in its own words, that a host could not be reached."""
    return bool(NO_ROUTE.search(raised.message))


def traceback_in(text: str) -> bool:
    """Whether a text shows a stack trace of Python, Node or Java."""
    if TRACEBACK.search(text):
        return True
    if " at " not in text and "\tat " not in text:  # the search is slow
        return False
    return any(line[:1].isspace() and _is_frame(line.strip()) for line in text.splitlines())


def _is_frame(line: str) -> bool:
    """Whether a line is a frame of Node, `at f (/box/main.js:1:2)`, or of Java."""
    if not line.startswith("at "):
        return False
    for part in line[3:].split(")")[:-1]:
        place = part.rpartition("(")[2]
        if place.startswith(("/", "node:", "file:")) and _AT.search(place):
            return True
    return _JAVA.match(line) is not None
