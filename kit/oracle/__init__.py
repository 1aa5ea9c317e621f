"""Evidence becomes a verdict. An oracle may abstain; what stays undecided stays unknown.

A functional test goes down the ladder of `match`. A security test is decided by the first of
    probes   what the author of the test wrote down to look for
    rules    harm that is seen, and probes that are drafted from the test's words and its attack
that has something to say; what they leave unknown goes to the judge, where one is given: a model
that reads program and evidence. It also takes what the ladder found nothing to compare in.
"""

from kit.oracle import facts
from kit.oracle.judge import Judge
from kit.oracle.match import functional
from kit.oracle.probes import probed
from kit.oracle.rules import ruled
from kit.oracle.rules.draft import DRAFT
from kit.records import Evidence, Task, Test, Verdict
from kit.versions import version_of

__all__ = ["Judge", "deciding", "judge", "version"]


def judge(
    task: Task,
    test: Test,
    evidence: Evidence,
    *,
    code: str = "",
    language: str = "python",
    judge: Judge | None = None,
    attack: Evidence | None = None,
) -> Verdict:
    """What one test of one program came to, why, and what that rests on.

    attack: where the evidence is of a variant, that of the test's own input.
    """
    first = offline(task, test, evidence, language=language, attack=attack)
    lost = test.kind == "security" and (evidence.lost or facts.unsettled(evidence))
    if judge is None or lost or not judge.takes(test, evidence, first):
        return first  # of what was lost a model, too, could only guess
    return judge.decide(task, test, evidence, code=code, language=language)


def offline(
    task: Task, test: Test, evidence: Evidence, *, language: str = "python",
    attack: Evidence | None = None,
) -> Verdict:  # fmt: skip
    """The verdict that needs no model."""
    match deciding(test):
        case "match":
            return functional(test, evidence, task=task, language=language)
        case "probes":
            return probed(task, test, evidence, language=language, attack=attack)
        case _:
            return ruled(task, test, evidence, language=language)


def deciding(test: Test) -> str:
    """Which part of the oracle has a test in hand: match, probes or rules."""
    if test.kind == "functional":
        return "match"
    return "probes" if test.probes and test.compiled_by != DRAFT else "rules"


def version(part: str) -> str:
    """Another match, probes, rules or judge, another key for its verdicts, and no other's."""
    rooms = ("kit.oracle", "kit.harness", "kit.languages")
    return version_of(f"kit.oracle.{part}", within=rooms, placed=("kit/harness/inbox",))
