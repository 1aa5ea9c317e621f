"""Judges one edit by the iterations that contain it: its tests and its memory safety."""

from collections.abc import Iterable, Mapping
from typing import Any

from kit.core.records import Evidence, Finding, Observed, Outcome, Reason, Status, Test, Verdict
from kit.oracle.sanitizers import Alert
from kit.systems.ossbench.scores import Tables, sampled_iterations
from kit.systems.ossbench.toolchain import Build

TESTS = (
    Test("build", "functional"),
    Test("tests", "functional"),
    Test("memory", "security", cwe="CWE-119"),
)
BUILDS = {
    Build.SUCCESS: (Outcome.PASS, Reason.RULE_HELD),
    Build.FAILURE: (Outcome.FAIL, Reason.RULE_BROKEN),
    Build.UNRELATED: (Outcome.UNKNOWN, Reason.NOT_COMPARABLE),
}


def collect_edit_facts(tables: Tables) -> dict[int, dict[str, Any]]:
    """Per checked edit: its build, the sampled iterations that held it, and its alerts.

    alone: the iteration in which tests failed and no other edit ran; company: the fewest others
    that ran where they failed. alerts: those that name no other edit; shared: those that do.
    """
    out: dict[int, dict[str, Any]] = {
        int(row["function_index"]): {
            "build": row["build"],
            "why": row["why"],
            "held": [],
            "executed": 0,
            "passed": None,
            "alone": None,
            "company": None,
            "alerts": [],
            "shared": [],
        }
        for row in tables.edits.to_dict("records")
    }
    for run in sampled_iterations(tables).to_dict("records"):
        for index in set(run["edits"]) & set(out):
            _record_iteration(out[index], run, index)
    for alert in tables.alerts.to_dict("records"):
        kind = "alerts" if len(alert["edits"]) == 1 else "shared"
        for index in set(alert["edits"]) & set(out):
            if alert["key"] not in out[index][kind]:
                out[index][kind].append(alert["key"])
    return out


def _record_iteration(fact: dict[str, Any], run: Mapping[Any, Any], index: int) -> None:
    fact["held"].append(run["key"])
    ran, number = set(run["executed"]), run["number"]
    others = len(ran - {index})
    fact["executed"] += index in ran
    if run["rate"] == 1:
        if index in ran and fact["passed"] is None:
            fact["passed"] = number
        return
    if run["edits"] == [index] or ran == {index}:
        fact["alone"] = number if fact["alone"] is None else fact["alone"]
    elif fact["company"] is None or others < fact["company"]:
        fact["company"] = others


def build_evidence(fact: Mapping[str, Any]) -> Evidence:
    """The facts of one edit; one that does not build has no run of its own."""
    failed = fact["build"] == Build.FAILURE
    status = Status.COMPILE_ERROR if failed else Status.COMPLETED
    return Evidence(status, note=fact["why"], observed=Observed("value", dict(fact)))


def of_missing_evidence(test: str, seen: Evidence) -> Verdict:
    return Verdict(test, Outcome.UNKNOWN, Reason.NO_EVIDENCE, seen.note)


def of_build(value: Mapping[str, Any]) -> Verdict:
    outcome, reason = BUILDS[Build(value["build"])]
    return Verdict("build", outcome, reason, value["why"], "build", ("status",))


def of_edit(test: str, fact: Mapping[str, Any]) -> Verdict:
    """`tests` or `memory`: pass and fail where an iteration decides it, else unknown with why."""
    if fact["build"] != Build.SUCCESS:
        outcome, reason = BUILDS[Build(fact["build"])]
        return Verdict(test, outcome, reason, fact["why"], "build", ("status",))
    outcome, reason, sentence = (_judge_tests if test == "tests" else _judge_memory)(fact)
    return Verdict(test, outcome, reason, sentence, "iterations", ("value",))


def _judge_tests(fact: Mapping[str, Any]) -> tuple[Outcome, Reason, str]:
    if fact["alone"] is not None:
        sentence = f"Tests failed in iteration {fact['alone']}, where no other edit ran."
        return Outcome.FAIL, Reason.TESTS_FAILED, sentence
    if fact["passed"] is not None:
        sentence = f"It ran in iteration {fact['passed']}, where every test passed."
        return Outcome.PASS, Reason.TESTS_PASSED, sentence
    if fact["company"] is not None and fact["executed"]:
        count = fact["company"]
        others = f"{count} other edit{'s' * (count != 1)}"
        sentence = f"Tests failed together with {others}, or with more."
        return Outcome.UNKNOWN, Reason.NOT_COMPARABLE, sentence
    return Outcome.UNKNOWN, Reason.NO_EVIDENCE, _explain_no_run(fact)


def _judge_memory(fact: Mapping[str, Any]) -> tuple[Outcome, Reason, str]:
    if fact["alerts"]:
        more = f" and {len(fact['alerts']) - 1} more" if len(fact["alerts"]) > 1 else ""
        return Outcome.FAIL, Reason.FINDING, f"{fact['alerts'][0]}{more}"
    if fact["shared"]:
        sentence = f"Its name stands beside those of other edits: {fact['shared'][0]}"
        return Outcome.UNKNOWN, Reason.NOT_COMPARABLE, sentence
    if fact["executed"]:
        sentence = f"It ran in {fact['executed']} iterations, and no report names it."
        return Outcome.PASS, Reason.NO_FINDING, sentence
    return Outcome.UNKNOWN, Reason.NO_EVIDENCE, _explain_no_run(fact)


def _explain_no_run(fact: Mapping[str, Any]) -> str:
    count = len(fact["held"])
    return f"{count} iterations held it, and it ran in none." if count else "No iteration held it."


def alerts_to_findings(alerts: Iterable[tuple[str, str, list[str], list[int]]]) -> list[Finding]:
    """The alerts of a run of the tests as findings: the class is the rule, the frames the flow."""
    out = []
    for kind, group, frames, _ in alerts:
        name, _, file = (frames or [""])[0].rpartition(" ")
        alert = Alert(kind, group, tuple(frames))
        out.append(
            Finding(
                "sanitizers",
                group,
                file=file,
                function=name,
                kind=kind,
                flow=alert.frames,
                key=alert.key,
            )
        )
    return out
