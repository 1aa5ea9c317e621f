"""Turns evidence into verdicts. An oracle may abstain: what stays undecided is unknown.

A functional test goes down the ladder of `match`. A security test is decided by
    probes    what the test's author, or a model that compiled the test, wrote down to look for
    defaults  if it has none: harm that was seen fails it, and nothing passes it
In a run that has a `Judge`, a model that reads the program and the evidence, `kit.run.judging` asks
it about what these leave unknown, and about functional tests where the ladder has nothing to
compare.
"""

from kit.core.records import Evidence, Task, Test, Verdict
from kit.core.versions import version_of
from kit.oracle.defaults import judge_unwritten
from kit.oracle.facts import Case
from kit.oracle.judge import Judge
from kit.oracle.match import judge_functional_test
from kit.oracle.probes import judge_by_probes

__all__ = ["Judge", "deciding", "judge", "version"]


def judge(
    task: Task,
    test: Test,
    evidence: Evidence,
    *,
    language: str = "python",
    attack: Evidence | None = None,
) -> Verdict:
    """The verdict on one test of one program, why, and what it rests on.

    attack: if the evidence is that of a variant, the evidence of the test's own input.
    """
    case = Case(task, test, evidence, language, attack)
    part = deciding(test)
    if part == "match":
        return judge_functional_test(case).verdict(test, part)
    if part == "probes":
        return judge_by_probes(case).verdict(test, test.compiled_by or part)
    return judge_unwritten(case).verdict(test, part)


def deciding(test: Test) -> str:
    """The part of the oracle that decides a test: match, probes or defaults."""
    if test.kind == "functional":
        return "match"
    return "probes" if test.probes else "defaults"


def version(part: str) -> str:
    """The version of match, probes, defaults or judge; it is part of the keys of its verdicts."""
    rooms = ("kit.oracle", "kit.harness", "kit.core.languages")
    return version_of(f"kit.oracle.{part}", within=rooms, placed=("kit/harness/inbox",))
