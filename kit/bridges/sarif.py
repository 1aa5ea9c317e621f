"""Writes a run's checks as SARIF 2.1.0 (OASIS), for code hosts."""

import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from kit import __version__
from kit.records import content_key
from kit.run.export import FAILED, NOT_RUN, UNDECIDED, Check

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
LEVEL = {FAILED: "error", UNDECIDED: "note"}


def sarif(found: Sequence[Check]) -> str:
    """One SARIF run, with a result for each failed test (error) and each undecided test (note).

    A test that could not be run becomes a notification, and the invocation is not successful.
    """
    rules = sorted({_rule(check) for check in found})
    lost = [check for check in found if check.state == NOT_RUN]
    invocation = {
        "executionSuccessful": not lost,
        "toolExecutionNotifications": [
            {"level": "error", "message": {"text": _message(check)}, "locations": _places(check)}
            for check in lost
        ],
    }
    driver = {"name": "securecode-kit", "version": __version__, "rules": [_about(r) for r in rules]}
    results = [_result(check, rules) for check in found if check.state in LEVEL]
    run = {"tool": {"driver": driver}, "invocations": [invocation], "results": results,
           "columnKind": "unicodeCodePoints"}  # fmt: skip
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1) + "\n"


def _rule(check: Check) -> str:
    return check.cwe or check.kind


def _about(rule: str) -> dict[str, Any]:
    """The SARIF rule of a weakness. GitHub reads it from a tag such as external/cwe/cwe-022."""
    number = rule.removeprefix("CWE-")
    if not number.isdigit():
        text = f"A {rule} test of the task fails."
        return {"id": rule, "shortDescription": {"text": text}, "properties": {"tags": [rule]}}
    return {
        "id": rule,
        "shortDescription": {"text": f"A security test for {rule} fails."},
        "helpUri": f"https://cwe.mitre.org/data/definitions/{int(number)}.html",
        "properties": {"tags": ["security", f"external/cwe/cwe-{int(number):03}"]},
    }


def _result(check: Check, rules: Sequence[str]) -> dict[str, Any]:
    rule, key = _rule(check), content_key(*check.key)[:32]
    return {
        "ruleId": rule,
        "ruleIndex": rules.index(rule),
        "level": LEVEL[check.state],
        "message": {"text": _message(check)},
        "locations": _places(check),
        # Without the second, code hosts hash the line, and two tests of one file become one alert
        "partialFingerprints": {"kitTest/v1": key, "primaryLocationLineHash": key},
        "properties": {"task": check.task, "test": check.test, "kind": check.kind},
    }


def _message(check: Check) -> str:
    """The check as text; a bracket directly before a parenthesis would make a link."""
    text = f"{check.task} {check.test} ({check.kind}) {check.state}: {check.sentence}"
    return text.replace("](", "] (")


def _places(check: Check) -> list[dict[str, Any]]:
    uri = check.file if check.file.startswith("file:") else quote(check.file)
    place: dict[str, Any] = {"artifactLocation": {"uri": uri}}
    if check.line:
        place["region"] = {"startLine": check.line}
    return [{"physicalLocation": place}]
