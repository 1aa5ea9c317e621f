"""Writes a run's checks as SARIF 2.1.0 (OASIS), for code hosts."""

import json
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from kit import __version__
from kit.core.records import content_key
from kit.run.export import FAILED, NOT_RUN, UNDECIDED, Check

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)


DESCRIPTIONS: dict[str, dict[str, Any]] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
)


def sarif(checks: Sequence[Check]) -> str:
    """One SARIF run: a result for each failed security test, and a note for each undecided one.

    A program that cannot be executed has one result. Functional tests have none: they are no
    weakness. A test that could not be run becomes a notification, and the invocation is not
    successful.
    """
    alerts = []
    notifications = []
    for check in _select_alerts(checks):
        if check.state == NOT_RUN:
            message = {"text": _message_text(check)}
            place = _make_locations(check)
            notifications.append({"level": "error", "message": message, "locations": place})
        else:
            alerts.append(check)
    rules = {_rule_id(check): _make_rule(check) for check in sorted(alerts, key=_rule_id)}
    places = {rule: number for number, rule in enumerate(rules)}
    results = [_make_result(check, places) for check in alerts]
    invocation = {
        "executionSuccessful": not notifications,
        "toolExecutionNotifications": notifications,
    }
    driver = {"name": "securecode-kit", "version": __version__, "rules": [*rules.values()]}
    run = {
        "tool": {"driver": driver},
        "invocations": [invocation],
        "results": results,
        "columnKind": "unicodeCodePoints",
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1) + "\n"


def _select_alerts(checks: Sequence[Check]) -> Iterator[Check]:
    """The checks that a code host shows: of a broken program the first one stands for all."""
    broken = set()
    for check in checks:
        program = (check.suite, check.task, check.program, check.file)
        wanted = check.kind == "security" or check.state == NOT_RUN
        if check.broken:
            wanted = program not in broken
            broken.add(program)
        if wanted and check.state in (FAILED, UNDECIDED, NOT_RUN):
            yield check


def _description_kind(check: Check) -> str:
    """The table of sarif.toml that describes the check."""
    if check.broken:
        return "broken"
    return "found" if check.suite == "scan" else "executed"


def _rule_id(check: Check) -> str:
    by_kind = {"broken": "broken-program", "found": check.test, "executed": check.cwe}
    return by_kind[_description_kind(check)] or check.kind


def _alert_level(check: Check) -> str:
    return "error" if check.is_grave else "warning"


def _make_rule(check: Check) -> dict[str, Any]:
    """The SARIF rule of a check. GitHub reads a weakness from its tag external/cwe/cwe-022."""
    description = DESCRIPTIONS[_description_kind(check)]
    names = {"cwe": check.cwe or "a weakness without a CWE", "test": check.test, "task": check.task}
    rule: dict[str, Any] = {
        "id": _rule_id(check),
        "shortDescription": {"text": description["short"].format(**names)},
        "fullDescription": {"text": description["full"].format(**names)},
        "help": {"text": description["help"], "markdown": description["help"]},
        "defaultConfiguration": {"level": _alert_level(check)},
    }
    properties: dict[str, Any] = {"tags": [*description["tags"]]}
    severity = description["severity"] or check.severity
    if severity:
        properties["security-severity"] = str(severity)
    number = check.cwe.removeprefix("CWE-")
    if number.isdigit() and not check.broken:
        rule["helpUri"] = f"https://cwe.mitre.org/data/definitions/{int(number)}.html"
        properties["tags"].append(f"external/cwe/cwe-{int(number):03}")
    return rule | {"properties": properties}


def _make_result(check: Check, places: dict[str, int]) -> dict[str, Any]:
    rule = _rule_id(check)
    parts = (*check.key[:-1], rule) if check.broken else check.key
    key = content_key(*parts)
    return {
        "ruleId": rule,
        "ruleIndex": places[rule],
        "level": _alert_level(check) if check.state == FAILED else "note",
        "message": {"text": _message_text(check)},
        "locations": _make_locations(check),
        # Without the second, code hosts hash the line, and two tests of one file become one alert
        "partialFingerprints": {"kitTest/v1": key[:32], "primaryLocationLineHash": key[:32]},
        "properties": {"task": check.task, "test": check.test, "kind": check.kind},
    }


def _message_text(check: Check) -> str:
    """The check's sentence; a bracket directly before a parenthesis would make a link."""
    return check.sentence.replace("](", "] (")


def _make_locations(check: Check) -> list[dict[str, Any]]:
    uri = check.file if check.file.startswith("file:") else quote(check.file)
    place: dict[str, Any] = {"artifactLocation": {"uri": uri}}
    if check.line:
        place["region"] = {"startLine": check.line}
    return [{"physicalLocation": place}]
