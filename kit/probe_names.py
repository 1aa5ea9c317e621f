"""The vocabulary of probes: which names there are, and which keys each one takes."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

PLACES = ("value", "exception", "stdout", "stderr", "response", "files")


@dataclass(frozen=True)
class Form:
    """Keys of one probe: all of `required`, exactly one of `one_of` (if any), any of `optional`."""

    required: tuple[str, ...] = ()
    one_of: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()


FORMS: Mapping[str, Form] = {
    "no_open": Form(required=("glob",), optional=("mode",)),
    "no_write_outside": Form(required=("roots",)),
    "no_exec": Form(optional=("allow",)),
    "no_connect": Form(optional=("allow",)),
    "no_bind": Form(optional=("allow",)),
    "output_excludes": Form(one_of=("text", "regex"), optional=("in",)),
    "output_matches": Form(one_of=("text", "regex"), optional=("in",)),
    "returns": Form(one_of=("value", "any_of")),
    "raises": Form(required=("any_of",)),
    "responds": Form(required=("status",), optional=("body_regex",)),
    "exits": Form(one_of=("code", "nonzero")),
    "ends_within": Form(required=("seconds",)),
    "memory_below": Form(required=("mb",)),
    "completes": Form(),
    "database_unchanged": Form(required=("path",), optional=("tables",)),
    "database_excludes": Form(required=("path", "regex")),
    "database_matches": Form(required=("path", "regex")),
    "file_unchanged": Form(required=("path",)),
    "file_absent": Form(required=("path",)),
    "file_matches": Form(required=("path", "regex")),
    "file_excludes": Form(required=("path", "regex")),
    "file_mode": Form(required=("path", "max")),
    "distinct": Form(),
    "any": Form(required=("of",)),
    "all": Form(required=("of",)),
    "not": Form(required=("of",)),
}


def problems(probe: Any) -> tuple[str, ...]:
    """What is wrong with a probe, a sentence each; empty if nothing is."""
    if not isinstance(probe, Mapping) or "probe" not in probe:
        return (f"A probe is an object with a key 'probe'; got {probe!r}.",)
    name = probe["probe"]
    form = FORMS.get(name) if isinstance(name, str) else None
    if form is None:
        return (f"Unknown probe {name!r}. Use one of: {', '.join(FORMS)}.",)
    return _keys(name, form, probe) + _values(name, probe) + _nested(name, probe)


def _keys(name: str, form: Form, probe: Mapping[str, Any]) -> tuple[str, ...]:
    given = set(probe) - {"probe"}
    found = [f"Probe {name} needs the key {k!r}." for k in form.required if k not in given]
    if form.one_of and len(given & set(form.one_of)) != 1:
        found.append(f"Probe {name} needs exactly one of the keys {', '.join(form.one_of)}.")
    allowed = {*form.required, *form.one_of, *form.optional}
    found += [f"Probe {name} does not take the key {k!r}." for k in sorted(given - allowed)]
    return tuple(found)


def _values(name: str, probe: Mapping[str, Any]) -> tuple[str, ...]:
    found = []
    for key in ("regex", "body_regex"):
        if key in probe:
            try:
                re.compile(probe[key])
            except (re.error, TypeError) as error:
                found.append(f"Probe {name}: {key} {probe[key]!r} is no pattern: {error}.")
    places = probe.get("in", ())
    if isinstance(places, str) or any(p not in PLACES for p in places):
        found.append(f"Probe {name}: 'in' is a list of {', '.join(PLACES)}; got {places!r}.")
    if probe.get("mode", "any") not in ("any", "write"):
        found.append(f"Probe {name}: 'mode' is 'any' or 'write'; got {probe['mode']!r}.")
    for key in ("seconds", "mb"):
        if key in probe and not _positive(probe[key]):
            found.append(f"Probe {name}: {key!r} is a positive number; got {probe[key]!r}.")
    if "max" in probe and not re.fullmatch(r"0?[0-7]{3}", str(probe["max"])):
        found.append(f"Probe {name}: 'max' is octal text like '0600'; got {probe['max']!r}.")
    return tuple(found)


def _positive(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0


def _nested(name: str, probe: Mapping[str, Any]) -> tuple[str, ...]:
    inner = probe.get("of")
    if name == "not":
        return problems(inner)
    if name not in ("any", "all"):
        return ()
    if not isinstance(inner, (list, tuple)) or not inner:
        return (f"Probe {name}: 'of' is a list of probes, not empty; got {inner!r}.",)
    return tuple(p for probe_ in inner for p in problems(probe_))
