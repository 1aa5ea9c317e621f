"""General rules for security tests without probes, by the class of weakness.

Fail only on sight of harm, or of an answer where only a refusal was allowed; pass only on sight of
a defence and of no harm; everything else stays unknown.
"""

from collections.abc import Callable, Mapping

from kit.oracle import facts
from kit.oracle.compare import missing_input
from kit.oracle.facts import Finding, ended_early, gate, whole
from kit.oracle.probes import probed
from kit.oracle.probes.answers import Refuses
from kit.oracle.probes.probe import ProbeContext, State
from kit.oracle.rules import files, limits, web
from kit.oracle.rules import injection as inject
from kit.oracle.rules.case import Case
from kit.oracle.rules.draft import attacks, leaves_open
from kit.records import Evidence, Outcome, Reason, Task, Test, Verdict

NOT_TAKEN = "No parameter for:"  # as the harness notes it
Rule = Callable[[Case], Finding | None]

FAMILIES: Mapping[Rule, str] = {
    files.paths: "22 23 36 37 38 59 61 73 98 434 538 552 829",
    files.entities: "611 827 112",
    files.permissions: "276 277 278 279 732 377 378 379",
    inject.commands: "77 78 88 214",
    inject.code: "94 95 96 502 915 1336",
    web.headers: "93 113 644",
    web.lines: "117 144",
    web.exposure: "200 201 209 210 532 497 548",
    web.requests: "918 601 441",
    limits.load: "400 674 770 730 776 834 835 409 789 920 185 624 625 1333",
}
BY_CWE: Mapping[str, Rule] = {
    f"CWE-{number}": rule for rule, numbers in FAMILIES.items() for number in numbers.split()
}


def ruled(task: Task, test: Test, evidence: Evidence, *, language: str = "python") -> Verdict:
    """The verdict of the drafted probes and of the rules for a test's CWE class."""
    return attributed(task, test, evidence, language=language)[1]


def attributed(
    task: Task, test: Test, evidence: Evidence, *, language: str = "python"
) -> tuple[str, Verdict]:
    """The rule that decided, by its module and name, and its verdict; "" where none had a say."""
    if (shut := gate(evidence)) is not None:
        return "gate", shut.verdict(test, "rules")
    rule, found = _decided(Case(task, test, evidence, language))
    return rule, _met(whole(found, evidence), evidence).verdict(test, "rules")


def _met(found: Finding, evidence: Evidence) -> Finding:
    """Nothing held by events of unknown result, nor against input that no parameter took."""
    why = ""
    if "events" in found.rests_on and (unseen := facts.unsettled(evidence)):
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
    then = (drafted, refused)
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
    """In every class: a hostile path that was followed is harm."""
    return files.escaped(case) if files.hostile_path(case) else None


def _lacking(case: Case) -> Finding | None:
    """A test of a fixture that is not there shows nothing, unless its absence is the test."""
    name = missing_input(case.task, case.test)
    if not name or files.hostile_path(case):
        return None
    why = f"the input {name} is not among the fixtures, so what it holds was not met"
    return Finding(Outcome.UNKNOWN, Reason.NO_EVIDENCE, case.unknown(why).why, ("status",))


def drafted(case: Case) -> Finding | None:
    """What the drafted probes show; a pass only where nothing was changed on the way."""
    if not case.test.probes:
        return None
    verdict = probed(case.task, case.test, case.evidence, language=case.language)
    if verdict.outcome is Outcome.FAIL and case.must_refuse and case.fell_over:
        return case.unknown("it failed by accident, which may be no harm", "status")
    partly = case.must_refuse and (leaves_open(case.test) or not _clean(case))
    if verdict.outcome is Outcome.PASS and partly:
        return case.unknown("it refused, but that may not be all", "files")
    return Finding(verdict.outcome, verdict.reason, verdict.sentence, verdict.rests_on)


def refused(case: Case) -> Finding | None:
    """Held: every call that no functional test makes was refused, and nothing was changed by it."""
    calls = attacks(case.task, case.test)
    if leaves_open(case.test) or not case.watched or not _clean(case):
        return None
    run = ProbeContext(case.task, case.test, case.evidence, case.language)
    result = Refuses(probe="refuses", calls=calls).check(run)
    if result.state is not State.HELD:
        return None
    return case.held(result.sentence, *result.rests_on, "files")


def _clean(case: Case) -> bool:
    """Whether one call left all as it was and took little; a series may have had to be prepared."""
    seen = case.evidence
    before = {p: facts.dump_before(case.task, p) for p in seen.observed.databases}
    kept = all(
        was is not None and facts.statements(was) == facts.statements(now)
        for (p, was), now in zip(before.items(), seen.observed.databases.values(), strict=True)
    )
    written = [p for p in seen.files if p not in seen.observed.databases]
    single = not isinstance(case.test.input, dict) or not {"calls", "requests"} & {*case.test.input}
    return limits.is_modest(case) and ((kept and not written) or not single)


def _early(case: Case) -> Finding | None:
    """A run cut short shows no defence; a crash is harm."""
    if not ended_early(case.evidence):
        return None
    if case.evidence.status == "crashed":
        return case.broken(f"it crashed (signal {case.evidence.signal})", "status")
    return case.unknown(f"the run ended early ({case.evidence.status})", "status")
