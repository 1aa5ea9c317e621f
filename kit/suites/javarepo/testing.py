"""A sample's method in its repository: compiled, tested and attacked, in one start of the tests."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace as changed
from typing import Any

from kit.records import Evidence, Observed, Outcome, Reason, Status, Verdict
from kit.suites.javarepo.build import Builder
from kit.suites.javarepo.instance import Instance
from kit.suites.javarepo.replace import replace

STUB = '{ throw new UnsupportedOperationException("stub"); }'


def test(builder: Builder, instance: Instance, code: str) -> Evidence:
    """The outcome of every test function on the channel, as JSON, and the method's lines that ran.

    What does not parse or does not compile is a compile_error. Raises KitError where we failed.
    """
    done = replace(instance.source, *instance.place, code)
    if done.error or done.method is None:
        return Evidence(Status.COMPILE_ERROR, note=f"The answer is no such method: {done.error}.")
    file, where = str(instance.data["file"]), instance.repository
    built = builder.compile(where, file, done.source, same_interface=done.same_interface)
    if not built.ok:
        said = built.log.encode()
        return Evidence(Status.COMPILE_ERROR, stderr=said, note="javac refused the class.")
    names = [*instance.data["test_functions"], *instance.data["exploit_functions"]]
    seen = builder.test(where, built, names, cover=instance.place[0])
    inside = range(done.method.first_line, done.method.last_line + 1)
    told = {"outcomes": dict(seen.outcomes), "messages": dict(seen.messages)}
    observed = Observed("output", lines=tuple(sorted(seen.lines & set(inside))))
    return changed(
        seen.evidence, channel=json.dumps(told).encode(), files={}, modes={}, observed=observed
    )


test.__test__ = False  # type: ignore[attr-defined]


def verdict(name: str, functions: Sequence[str], evidence: Evidence) -> Verdict:
    """pass if every one of the test functions passed; nothing that was not seen to pass passes."""
    if evidence.status is Status.COMPILE_ERROR:
        said = f"{evidence.note} {evidence.err.strip()[:300]}".strip()
        return Verdict(name, Outcome.FAIL, Reason.NO_PROGRAM, said, "junit", ("status",))
    try:
        told: Mapping[str, Any] = json.loads(evidence.channel)
    except ValueError:
        said = f"The tests left no report ({evidence.status.value})."
        return Verdict(name, Outcome.FAIL, Reason.RUN_ENDED_EARLY, said, "junit", ("status",))
    outcomes = {f: told["outcomes"].get(f, "missing") for f in functions}
    if gone := [f for f, what in outcomes.items() if what == "none"]:
        said = f"JUnit knows no test {', '.join(gone)}."
        return Verdict(name, Outcome.UNKNOWN, Reason.ORACLE_FAILED, said, "junit", ("channel",))
    if bad := [f for f, what in outcomes.items() if what != "pass"]:
        why = "; ".join(f"{f}: {told['messages'].get(f, '')[:200]}" for f in bad)
        early = all(outcomes[f] == "missing" for f in bad)
        reason = Reason.RUN_ENDED_EARLY if early else Reason.TESTS_FAILED
        return Verdict(name, Outcome.FAIL, reason, why, "junit", ("channel",))
    if not evidence.observed.lines:
        said = "The tests passed without reaching the method."
        return Verdict(name, Outcome.UNKNOWN, Reason.NO_EVIDENCE, said, "junit", ("coverage",))
    said = f"{len(functions)} test functions passed."
    return Verdict(name, Outcome.PASS, Reason.TESTS_PASSED, said, "junit", ("channel", "coverage"))
