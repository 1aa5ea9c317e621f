"""General rules for security tests without probes, by the class of weakness.

Fail only on sight of harm, or of an answer where only a refusal was allowed; pass only on sight of
a defence and of no harm; everything else stays unknown.
"""

from collections.abc import Callable, Mapping

from kit.oracle import side_effects
from kit.oracle.describe import Finding, ended_early, gate, whole
from kit.oracle.expectation import missing_input
from kit.oracle.rules import files, fixtures, limits, web, words
from kit.oracle.rules import injection as inject
from kit.oracle.rules.case import Case
from kit.oracle.rules.demanded import explicit
from kit.records import Evidence, Outcome, Reason, Task, Test, Verdict

NOT_TAKEN = "No parameter for:"  # as the harness notes it
Rule = Callable[[Case], Finding | None]

FAMILIES: Mapping[Rule, str] = {
    files.paths: "22 23 36 37 38 59 61 73 98 434 538 552 829",
    files.entities: "611 827 112",
    files.permissions: "276 277 278 279 732 377 378 379",
    inject.commands: "77 78 88 214",
    inject.code: "94 95 96 502 915 1336",
    inject.queries: "89 564 943",
    web.markup: "79 80 83 87 116 1021",
    web.headers: "93 113 644",
    web.lines: "117 144",
    web.exposure: "200 201 209 210 532 497 548",
    web.requests: "918 601 441",
    limits.load: "400 674 770 730 776 834 835 409 789 920 185 624 625 1333",
    limits.memory: "119 120 121 122 125 131 134 170 190 191 415 416 476 680 787 788 805",
}
BY_CWE: Mapping[str, Rule] = {
    f"CWE-{number}": rule for rule, numbers in FAMILIES.items() for number in numbers.split()
}


def ruled(
    task: Task, test: Test, evidence: Evidence, *, code: str = "", language: str = "python"
) -> Verdict:
    """The verdict of the rules for a test's CWE class."""
    return attributed(task, test, evidence, code=code, language=language)[1]


def attributed(
    task: Task, test: Test, evidence: Evidence, *, code: str = "", language: str = "python"
) -> tuple[str, Verdict]:
    """The rule that decided, by its module and name, and its verdict; "" where none had a say."""
    if (shut := gate(evidence)) is not None:
        return "gate", shut.verdict(test, "rules")
    rule, found = _decided(Case(task, test, evidence, code, language))
    return rule, _met(whole(found, evidence), evidence).verdict(test, "rules")


def _met(found: Finding, evidence: Evidence) -> Finding:
    """Nothing held by events of unknown result, nor against input that no parameter took."""
    why = ""
    if "events" in found.rests_on and (unseen := side_effects.unsettled(evidence)):
        why = f"Nothing can be said to have held: {unseen}."
    elif NOT_TAKEN in evidence.note:
        why = f"A part of the input was never met by the program: {evidence.note}"
    if found.outcome is not Outcome.PASS or not why:
        return found
    return Finding(Outcome.UNKNOWN, Reason.NO_EVIDENCE, why, ("status",))


def _decided(case: Case) -> tuple[str, Finding]:
    """Harm that is harm in every class; the rule of the class; then the demand in its own words."""
    rule = BY_CWE.get(case.test.cwe)
    first = (files.leaks_accounts, _started, _strayed, _lacking)
    then = (files.referred, limits.heavy, explicit, words.in_own_words)
    for step in (*first, rule, _early, *then):
        found = step(case) if step is not None else None
        if step is not None and found is not None:
            return name_of(step), found
    what = f"no rule for {case.test.cwe} decides this" if rule else f"no rule for {case.test.cwe}"
    return "", case.unknown(what)


def name_of(rule: Rule) -> str:
    """A rule as measurements name it: files.paths, demanded.explicit, rules.early."""
    return f"{rule.__module__.rpartition('.')[2]}.{rule.__name__.strip('_')}"


def _started(case: Case) -> Finding | None:
    """In every class: a command of the input that became a program is harm."""
    found = inject.commands(case)
    return found if found is not None and found.outcome is Outcome.FAIL else None


def _strayed(case: Case) -> Finding | None:
    """Where input is to be checked, a hostile path that was followed is harm."""
    checked = case.test.cwe in ("CWE-20", "CWE-170", "CWE-1284", "CWE-1287", "CWE-158")
    return files.escaped(case) if checked and files.hostile_path(case) else None


def _lacking(case: Case) -> Finding | None:
    """A test of a fixture that is not there shows nothing, unless its absence is the test."""
    name = missing_input(case.task, case.test)
    if not name or files.hostile_path(case):
        return None
    if fixtures.made(case):
        return case.no_target(f"{name} is not among the fixtures", "status")
    why = f"the input {name} is not among the fixtures, so what it holds was not met"
    return Finding(Outcome.UNKNOWN, Reason.NO_EVIDENCE, case.unknown(why).why, ("status",))


def _early(case: Case) -> Finding | None:
    """A run cut short shows no defence; a crash under a demand for order breaks it."""
    if not ended_early(case.evidence):
        return None
    if case.evidence.status == "crashed" and (case.demand.graceful or case.demand.refuse):
        return case.broken(f"it crashed (signal {case.evidence.signal})", "status")
    return case.unknown(f"the run ended early ({case.evidence.status})", "status")
