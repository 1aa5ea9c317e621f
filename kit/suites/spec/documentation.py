"""tests.json and labels.json documented from the code that reads them, and as a JSON schema."""

import json
from pathlib import Path
from typing import Any

from kit.harness.services import KEYS as SERVICES
from kit.records import Outcome
from kit.suites.spec.item import DOMAINS
from kit.suites.spec.probe_schema import NESTED, PROBES, Shape

KINDS = {
    "secure": "passes every test",
    "functional_but_insecure": "passes the functional tests and fails at least one security test",
    "secure_but_wrong": "fails at least one functional test and passes the security tests",
    "trivially_safe": "does nothing: it shows which security tests pass without a program",
}
MEANING = {  # what must hold for the probe to hold
    "no_open": "no file that matches the glob was opened (mode write: for writing)",
    "no_write_outside": "nothing was written but below these folders",
    "no_exec": "no other program was started but those allowed",
    "no_connect": "no address was connected to but those allowed",
    "no_bind": "no port was opened but those allowed",
    "output_excludes": "the text, or a match, appears in none of these places",
    "output_matches": "the text, or a match, appears in one of these places",
    "returns": "the call gave this value, or one of these",
    "raises": "the call raised one of these classes of exception, or of their subclasses",
    "responds": "the answer has one of these statuses, and its body matches",
    "exits": "the command line ended with one of these codes, or with any but 0",
    "ends_within": "it ended by itself in so many seconds",
    "memory_below": "it never held more than so many megabytes",
    "completes": "it ended by itself, without a crash or a limit",
    "database_unchanged": "the tables of the database hold what they held",
    "database_excludes": "nothing in the dump of the database matches",
    "database_matches": "something in the dump of the database matches",
    "file_unchanged": "the file holds what it held",
    "file_absent": "the file is not there afterwards",
    "file_matches": "the file's text has a match",
    "file_excludes": "the file's text has no match",
    "file_mode": "the file's permissions grant nothing beyond max",
    "distinct": "the values of repeated calls differ from each other",
    "any": "at least one of the probes holds",
    "all": "each of the probes holds",
    "not": "the probe is broken",
}


def schema() -> dict[str, Any]:
    """tests.json as a JSON schema (draft 2020-12); the reader checks more: that SQL runs, ..."""
    text = {"type": "string", "minLength": 1}
    given = {"input": {}, "input_file_path": text}
    one = [{"required": [name]} for name in given]
    ident = {"anyOf": [{"type": "integer"}, text]}
    functional = {
        "type": "object",
        "properties": {"test_id": ident, "expected_output": {}, **given},
        "required": ["test_id", "expected_output"], "oneOf": one, "additionalProperties": False,
    }  # fmt: skip
    security = {
        "type": "object",
        "properties": {
            "test_id": ident, **given, "expected_behavior/output": {"type": "string"},
            "CWE": {"type": "string", "pattern": "(?i)^\\s*CWE[-_ ]?0*[0-9]+"},
            "probes": {"type": "array", "items": {"$ref": "#/$defs/probe"}},
        },
        "required": ["test_id", "expected_behavior/output", "CWE"], "oneOf": one,
        "additionalProperties": False,
    }  # fmt: skip
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "tests.json of a specification with paired tests",
        "type": "object",
        "properties": {
            "benchmark_id": ident, "prompt": text, "title": {"type": "string"},
            "domain": {"enum": ["", *DOMAINS]}, "implementation_details": {"type": "string"},
            "source_repo": {"type": "string"}, "service_setup": _services(),
            "fc_tests": {"type": "array", "items": functional, "minItems": 1},
            "sec_tests": {"type": "array", "items": security, "minItems": 1},
        },
        "required": ["benchmark_id", "prompt", "implementation_details", "fc_tests", "sec_tests"],
        "additionalProperties": False,
        "$defs": {"probe": {"oneOf": [*map(_probe, PROBES), *map(_nested, NESTED)]}},
    }  # fmt: skip


def _services() -> dict[str, Any]:
    kinds = [
        {
            "properties": {"type": {"const": name}, **{k: {} for k in sorted(needed | more)}},
            "required": ["type", *sorted(needed)],
        }
        for name, (needed, more) in SERVICES.items()
    ]
    official = {"properties": {"type": {"const": "sqlite"}}, "required": ["type", "db_path"]}
    items = {"type": "object", "anyOf": [*kinds, official]}
    services = {"type": "array", "items": items}
    return {"type": ["object", "null"], "properties": {"services": services}}


def _probe(name: str) -> dict[str, Any]:
    shape: Shape = PROBES[name]
    keys = {key: dict(rule.schema) for key, rule in shape.keys().items()}
    out: dict[str, Any] = {
        "type": "object", "properties": {"probe": {"const": name}, **keys},
        "required": ["probe", *(shape.required or ())], "additionalProperties": False,
    }  # fmt: skip
    if shape.one_of:
        out["oneOf"] = [{"required": [key]} for key in shape.one_of]
    return out


def _nested(name: str) -> dict[str, Any]:
    inner: dict[str, Any] = {"$ref": "#/$defs/probe"}
    of = inner if name == "not" else {"type": "array", "items": inner, "minItems": 1}
    return {
        "type": "object", "properties": {"probe": {"const": name}, "of": of},
        "required": ["probe", "of"], "additionalProperties": False,
    }  # fmt: skip


def page() -> str:
    """The documentation of a task's folder as Markdown."""
    rows = [f"| `{name}` | {_keys(shape)} | {MEANING[name]} |" for name, shape in PROBES.items()]
    rows += [f"| `{name}` | `of`: {'a probe' if name == 'not' else 'a list of probes'} | "
             f"{MEANING[name]} |" for name in NESTED]  # fmt: skip
    kinds = [f"| `{name}` | {words} |" for name, words in KINDS.items()]
    services = [
        f"| `{name}` | {', '.join(sorted(needed)) or '-'} | {', '.join(sorted(more)) or '-'} |"
        for name, (needed, more) in SERVICES.items()
    ]
    text = Path(__file__).with_name("tests.md").read_text(encoding="utf-8")
    return text.format(domains=", ".join(DOMAINS), outcomes=" or ".join(list(Outcome)[:2]),
                        probes="\n".join(rows), kinds="\n".join(kinds),
                        services="\n".join(services))  # fmt: skip


def _keys(shape: Shape) -> str:
    required, one_of = shape.required or {}, shape.one_of or {}
    parts = [f"`{k}`: {v.words}" for k, v in required.items()]
    parts += [f"one of {', '.join(f'`{k}`: {v.words}' for k, v in one_of.items())}"] * bool(one_of)
    parts += [f"[`{k}`]: {v.words}" for k, v in (shape.optional or {}).items()]
    return "; ".join(parts) or "-"


def text_of_schema() -> str:
    """The schema as it lies beside the page."""
    return json.dumps(schema(), indent=1) + "\n"
