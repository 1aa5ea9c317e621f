"""The vocabulary of probes: which keys a probe of a security test must and may have."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

PLACES = ("value", "exception", "stdout", "stderr", "response", "files")


def _text(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


def _texts(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_text, value))


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0


def _integers(value: Any) -> bool:
    return _list(value) and all(isinstance(v, int) and not isinstance(v, bool) for v in value)


def _regex(value: Any) -> bool:
    try:
        return _text(value) and bool(re.compile(value))
    except re.error:
        return False


def _list(value: Any) -> bool:
    return isinstance(value, list) and bool(value)


@dataclass(frozen=True)
class Key:
    """What one key of a probe may hold: the test, the words that name it, its JSON schema."""

    holds: Callable[[Any], bool]
    words: str
    schema: Mapping[str, Any]


_TEXT = {"type": "string", "minLength": 1}
_TEXTS = {"type": "array", "items": _TEXT, "minItems": 1}
TEXT = Key(_text, "a non-empty text", _TEXT)
TEXTS = Key(_texts, "a non-empty list of texts", _TEXTS)
ALLOW = Key(lambda v: v == [] or _texts(v), "a list of texts", {"type": "array", "items": _TEXT})
GLOBS = Key(
    lambda v: _text(v) or _texts(v),
    "a glob or a non-empty list of globs",
    {"anyOf": [_TEXT, _TEXTS]},
)
REGEX = Key(_regex, "a regular expression that compiles", {**_TEXT, "format": "regex"})
NUMBER = Key(_number, "a number above 0", {"type": "number", "exclusiveMinimum": 0})
INTEGERS = Key(
    _integers,
    "a non-empty list of whole numbers",
    {"type": "array", "items": {"type": "integer"}, "minItems": 1},
)
ANYTHING = Key(lambda _: True, "any JSON value", {})
VALUES = Key(_list, "a non-empty list", {"type": "array", "minItems": 1})
TRUE = Key(lambda v: v is True, "true", {"const": True})
OPEN_MODE = Key(lambda v: v in ("any", "write"), '"any" or "write"', {"enum": ["any", "write"]})
OCTAL = Key(
    lambda v: _text(v) and bool(re.fullmatch("[0-7]{3,4}", v)),
    'an octal text, "0600"',
    {"type": "string", "pattern": "^[0-7]{3,4}$"},
)
WHERE = Key(
    lambda v: _texts(v) and set(v) <= set(PLACES),
    f"a list out of {', '.join(PLACES)}",
    {"type": "array", "items": {"enum": list(PLACES)}, "minItems": 1},
)


@dataclass(frozen=True)
class Shape:
    """Keys that must be there, keys that may be, and keys of which exactly one must be."""

    required: Mapping[str, Key] | None = None
    optional: Mapping[str, Key] | None = None
    one_of: Mapping[str, Key] | None = None

    def keys(self) -> dict[str, Key]:
        return {**(self.required or {}), **(self.optional or {}), **(self.one_of or {})}


_OUTPUT = Shape(optional={"in": WHERE}, one_of={"text": TEXT, "regex": REGEX})
_DUMP = Shape(required={"path": TEXT, "regex": REGEX})
_ALLOW = Shape(optional={"allow": ALLOW})
_PATH = Shape(required={"path": TEXT})
_EMPTY = Shape()

PROBES: Mapping[str, Shape] = {
    "no_open": Shape(required={"glob": GLOBS}, optional={"mode": OPEN_MODE}),
    "no_write_outside": Shape(required={"roots": TEXTS}),
    "no_exec": _ALLOW,
    "no_connect": _ALLOW,
    "no_bind": _ALLOW,
    "output_excludes": _OUTPUT,
    "output_matches": _OUTPUT,
    "returns": Shape(one_of={"value": ANYTHING, "any_of": VALUES}),
    "raises": Shape(required={"any_of": TEXTS}),
    "responds": Shape(required={"status": INTEGERS}, optional={"body_regex": REGEX}),
    "exits": Shape(one_of={"code": INTEGERS, "nonzero": TRUE}),
    "ends_within": Shape(required={"seconds": NUMBER}),
    "memory_below": Shape(required={"mb": NUMBER}),
    "completes": _EMPTY,
    "database_unchanged": Shape(required={"path": TEXT}, optional={"tables": TEXTS}),
    "database_excludes": _DUMP,
    "database_matches": _DUMP,
    "file_unchanged": _PATH,
    "file_absent": _PATH,
    "file_matches": _DUMP,
    "file_excludes": _DUMP,
    "file_mode": Shape(required={"path": TEXT, "max": OCTAL}),
    "distinct": _EMPTY,
}
# {"probe": "any", "of": [probe, ...]}, {"probe": "not", "of": probe}
NESTED = ("any", "all", "not")


def leaves(probes: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """The probes that look at a run, out of any, all and not at any depth."""
    for probe in probes:
        if probe["probe"] in NESTED:
            yield from leaves([probe["of"]] if probe["probe"] == "not" else probe["of"])
        else:
            yield probe


def mistake(probe: Any, where: str) -> str:
    """The first mistake in a probe as a sentence that begins with `where`, or "" if none."""
    if not isinstance(probe, dict) or not _text(probe.get("probe")):
        return f'{where} must be an object with a text "probe", got {probe!r:.60}.'
    name = probe["probe"]
    if name in NESTED:
        return _nested_mistake(probe, where)
    if name not in PROBES:
        return f"{where}: unknown probe {name!r}; use one of: {', '.join([*PROBES, *NESTED])}."
    return _shape_mistake(probe, PROBES[name], f"{where} ({name})")


def _nested_mistake(probe: dict[str, Any], where: str) -> str:
    extra = set(probe) - {"probe", "of"}
    if extra:
        return f"{where}: unknown key {min(extra)!r}; {probe['probe']!r} takes only 'of'."
    if probe["probe"] == "not":
        return mistake(probe.get("of"), f"{where}.of")
    if not _list(probe.get("of")):
        return f"{where}.of must be a non-empty list of probes, got {probe.get('of')!r:.60}."
    inner = (mistake(p, f"{where}.of[{i}]") for i, p in enumerate(probe["of"]))
    return next(filter(None, inner), "")


def _shape_mistake(probe: dict[str, Any], shape: Shape, where: str) -> str:
    keys = shape.keys()
    given = {k for k in probe if k != "probe"}
    if given - set(keys):
        allowed = ", ".join(keys) or "no key"
        return f"{where}: unknown key {min(given - set(keys))!r}; it takes {allowed}."
    missing = [k for k in shape.required or () if k not in given]
    if missing:
        return f"{where}: key {missing[0]!r} is missing; give {keys[missing[0]].words}."
    if shape.one_of and len(given & set(shape.one_of)) != 1:
        return f"{where}: give exactly one of {', '.join(shape.one_of)}."
    wrong = [k for k in sorted(given) if not keys[k].holds(probe[k])]
    if wrong:
        return f"{where}.{wrong[0]} must be {keys[wrong[0]].words}, got {probe[wrong[0]]!r:.60}."
    return ""
