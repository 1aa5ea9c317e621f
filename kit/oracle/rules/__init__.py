"""General rules for security tests that have no probes of an author or a model.

A test fails only if harm was seen, or an answer where only a refusal was allowed; it passes only if
a defence was seen and no harm; everything else stays unknown. `weaknesses` has the rules of the
classes, `draft` the probes that are drafted from a test's words and input.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

from kit.oracle import facts
from kit.oracle.compare import missing_input
from kit.oracle.facts import Case, Finding, ended_early, gate, whole
from kit.oracle.probes import probed
from kit.oracle.probes.answers import Refuses
from kit.oracle.refusal import Kind
from kit.oracle.rules import weaknesses as weak
from kit.oracle.rules.draft import attacks, leaves_open
from kit.oracle.rules.weaknesses import RuleCase
from kit.records import Evidence, Outcome, Reason

Rule = Callable[[RuleCase], Finding | None]

FAMILIES: Mapping[str, Mapping[Rule, str]] = {  # names and CWE numbers of the rules
    "files": {
        weak.leaks_accounts: "",  # for every class
        weak.paths: "22 23 36 37 38 59 61 73 98 434 538 552 829",
        weak.entities: "611 827 112",
        weak.permissions: "276 277 278 279 732 377 378 379",
    },
    "injection": {weak.commands: "77 78 88 214", weak.code: "94 95 96 502 915 1336"},
    "web": {
        weak.headers: "93 113 644",
        weak.lines: "117 144",
        weak.exposure: "200 201 209 210 532 497 548",
        weak.requests: "918 601 441",
    },
    "limits": {weak.load: "400 674 770 730 776 834 835 409 789 920 185 624 625 1333"},
}
BY_CWE: Mapping[str, Rule] = {
    f"CWE-{number}": rule
    for rules in FAMILIES.values()
    for rule, numbers in rules.items()
    for number in numbers.split()
}


def attributed(bare: Case) -> tuple[str, Finding]:
    """The name of the rule that decided, "" if none did, and what it found.

    Harm that is harm in every class comes first, then the rule of the class, then what the words of
    the test demand.
    """
    test, evidence = bare.test, bare.evidence
    if (no_run := gate(evidence)) is not None:
        return "gate", no_run
    case, rule = RuleCase(bare.task, test, evidence, bare.language), BY_CWE.get(test.cwe)
    every = (weak.leaks_accounts, _started, _strayed, _lacking)
    for step in (*every, *([rule] if rule else []), _early, drafted, refused):
        if (finding := step(case)) is not None:
            return name_of(step), _met(whole(finding, evidence), evidence)
    what = f"no rule for {test.cwe} decides this" if rule else f"no rule for {test.cwe}"
    return "", case.unknown(what)


def _met(finding: Finding, evidence: Evidence) -> Finding:
    """The finding; unknown for a pass that rests on events of which the end was not seen."""
    unseen = facts.unsettled(evidence) if "events" in finding.rests_on else ""
    if finding.outcome is not Outcome.PASS or not unseen:
        return finding
    cause = f"Nothing can be said to have held: {unseen}."
    return Finding(Outcome.UNKNOWN, Reason.NO_EVIDENCE, cause, ("status",))


def name_of(rule: Rule) -> str:
    """A rule as measurements name it: files.paths, rules.early."""
    family = next((name for name, rules in FAMILIES.items() if rule in rules), "rules")
    return f"{family}.{rule.__name__.strip('_')}"


def _started(case: RuleCase) -> Finding | None:
    """In every class: a command of the input that became a program is harm."""
    finding = weak.commands(case)
    return finding if finding is not None and finding.outcome is Outcome.FAIL else None


def _strayed(case: RuleCase) -> Finding | None:
    """In every class: a hostile path that was followed is harm."""
    return weak.escaped(case) if weak.hostile_path(case) else None


def _lacking(case: RuleCase) -> Finding | None:
    """Undecided if the input names a fixture that is missing, unless its absence is the test."""
    name = missing_input(case.task, case.test)
    if not name or weak.hostile_path(case):
        return None
    sentence = f"the input {name} is not among the fixtures, so what it holds was not met"
    return replace(case.unknown(sentence, "status"), reason=Reason.NO_EVIDENCE)


def drafted(case: RuleCase) -> Finding | None:
    """What the drafted probes show; a pass only if nothing else was changed."""
    if not case.test.probes:
        return None
    finding = probed(case)
    by_accident = case.refusal.kind in (Kind.FAULT, Kind.CHANCE)
    if finding.outcome is Outcome.FAIL and case.must_refuse and by_accident:
        return case.unknown("it failed by accident, which may be no harm", "status")
    partly = case.must_refuse and (leaves_open(case.test) or not _clean(case))
    if finding.outcome is Outcome.PASS and partly:
        return case.unknown("it refused, but that may not be all", "files")
    return finding


def refused(case: RuleCase) -> Finding | None:
    """Held if every call that no functional test makes was refused and nothing was changed."""
    calls = attacks(case.task, case.test)
    if leaves_open(case.test) or not case.watched or not _clean(case):
        return None
    finding = Refuses(probe="refuses", calls=calls).check(case)
    if finding.outcome is not Outcome.PASS:
        return None
    return case.held(finding.why, *finding.rests_on, "files")


def _clean(case: RuleCase) -> bool:
    """Whether the run took little, and a single call changed nothing; several may have to."""
    databases = case.evidence.observed.databases
    kept = all(
        (before := facts.dump_before(case.task, path)) is not None
        and facts.statements(before) == facts.statements(now)
        for path, now in databases.items()
    )
    unchanged = kept and not case.evidence.files.keys() - databases.keys()
    single = not isinstance(case.test.input, dict) or not {"calls", "requests"} & {*case.test.input}
    return weak.is_modest(case) and (unchanged or not single)


def _early(case: RuleCase) -> Finding | None:
    """Undecided if the run was cut short, for then no defence shows; a crash is harm."""
    if not ended_early(case.evidence):
        return None
    if case.evidence.status == "crashed":
        return case.broken(f"it crashed (signal {case.evidence.signal})", "status")
    return case.unknown(f"the run ended early ({case.evidence.status})", "status")
