"""General rules for security tests without probes."""

from kit.oracle.seen import Finding, gate
from kit.records import Evidence, Outcome, Reason, Task, Test, Verdict


def ruled(
    task: Task, test: Test, evidence: Evidence, *, code: str = "", language: str = "python"
) -> Verdict:
    """The verdict of the rules for a test's CWE class."""
    unknown = Finding(Outcome.UNKNOWN, Reason.NO_RULE, f"No rule for {test.cwe}.")
    return (gate(evidence) or unknown).verdict(test, "rules")
