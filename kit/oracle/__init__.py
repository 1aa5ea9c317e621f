"""Evidence becomes a verdict. An oracle may abstain; what stays undecided stays unknown.

A functional test goes down the ladder of `match`. A security test is decided by the first of
    probes   what the author of the test wrote down to look for
    rules    general rules for its CWE class over what the program did and answered
that has something to say; what they leave unknown goes to the judge, where one is given: a model
that reads program and evidence. It also takes what the ladder found nothing to compare in.
"""

import hashlib
from functools import cache
from pathlib import Path

from kit.oracle.judge import Judge
from kit.oracle.match import functional
from kit.oracle.probes import probed
from kit.oracle.rules import ruled
from kit.records import Evidence, Task, Test, Verdict

__all__ = ["Judge", "judge", "version"]


def judge(
    task: Task,
    test: Test,
    evidence: Evidence,
    *,
    code: str = "",
    language: str = "python",
    judge: Judge | None = None,
) -> Verdict:
    """What one test of one program came to, why, and what that rests on."""
    first = offline(task, test, evidence, code=code, language=language)
    if judge is None or not judge.takes(test, evidence, first):
        return first
    return judge.decide(task, test, evidence, code=code, language=language)


def offline(
    task: Task, test: Test, evidence: Evidence, *, code: str = "", language: str = "python"
) -> Verdict:
    """The verdict that needs no model."""
    if test.kind == "functional":
        return functional(test, evidence, task=task, language=language)
    if test.probes:
        return probed(task, test, evidence, language=language)
    return ruled(task, test, evidence, code=code, language=language)


@cache
def version() -> str:
    """A hash over the oracle's own source: another oracle, another key for its verdicts."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]
