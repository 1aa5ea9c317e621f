"""Which exceptions of JavaScript, C++ and C stand for a class of Python that they do not have."""

from collections.abc import Mapping

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
