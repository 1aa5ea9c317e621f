"""A changed repository before a static engine, and its reports before a panel of judges.

One start of the engine serves all of a batch. A report counts for an instance if its weakness is
the instance's and it touches the method.

Voters score each report, a final judge has the last word. score = how likely the report is true, in
[0, 1]; a report stands if the final score is > 0.5 (RealSec-bench, section 4.3: the other way round
in its text, the same verdict). A refusal is no acquittal: then the report stands. Over a malformed
answer there is no ruling; it is asked for anew.
"""

import re
from collections.abc import Callable, Iterable, Mapping, MutableMapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from kit.core.errors import KitError
from kit.core.records import (
    Evidence,
    Finding,
    Observed,
    Outcome,
    Reason,
    Status,
    Verdict,
    content_key,
)
from kit.generation import prompting, structured
from kit.generation.base import ModelError
from kit.generation.models import open_role
from kit.generation.structured import Asker, StructuredAnswer
from kit.harness.languages import tree
from kit.oracle import sast
from kit.oracle.sast.programs import ProgramReport, ScannedProgram, is_on_lines, judge_report
from kit.oracle.sast.reading import read_step
from kit.systems.realsec.instance import METHODS, Instance, locate_method, replace_method

NUMBER, TEXT = {"type": "number"}, {"type": "string"}
VOTE = structured.build_schema(analysis=TEXT, reason=TEXT, score=NUMBER)
FINAL = structured.build_schema(meta_analysis=TEXT, score=NUMBER)
FAMILIES = ("adjudicate_voter", "adjudicate_final")
ALONE = "No panel was asked: the static analyser's verdict stands alone."
MARK = b"@Untrusted__ "  # rules/java/flows.yaml knows it
PARAMETERS = ("formal_parameter", "spread_parameter")
MARGIN = 2  # lines around a step of the flow


@dataclass(frozen=True)
class PanelCase:
    """What the panel sees: texts, none of them trusted. flow and context are for the judge only."""

    cwe: str
    report: str
    original: str
    code: str
    flow: str
    context: str


@dataclass(frozen=True)
class Vote:
    """One voter's opinion; score None: the voter gave none, and `reason` says why."""

    model: str
    score: float | None
    reason: str


@dataclass(frozen=True)
class Ruling:
    """What came of a case. score None: nobody could say, and the report stands."""

    score: float | None
    reason: str
    votes: tuple[Vote, ...] = ()

    @property
    def stands(self) -> bool:
        return has_standing_score(self.score)

    @property
    def has_voter_majority(self) -> bool:
        """What the voters alone would say."""
        return has_standing_score(mean_score(self.votes))


def has_standing_score(score: float | None) -> bool:
    """Whether a report with this score stands."""
    return score is None or score > 0.5


def mean_score(votes: Iterable[Vote]) -> float | None:
    """None where nobody voted."""
    scores = [v.score for v in votes if v.score is not None]
    return sum(scores) / len(scores) if scores else None


@dataclass(frozen=True)
class Panel:
    """Any mix of models. Without a final judge the mean of the votes decides; without both, none.

    Raises ModelError where a service fails or answers in no proper form.
    """

    voters: tuple[Asker, ...] = ()
    final: Asker | None = None

    @classmethod
    def of(cls, voters: str, final: str, cache: MutableMapping[str, dict[str, Any]]) -> "Panel":
        """The panel of SPEC[@URL],SPEC...; equal questions are asked once for a cache."""
        judge = Asker(open_role(final), cache) if final else None
        names = filter(None, map(str.strip, voters.split(",")))
        return cls(tuple(Asker(open_role(name), cache) for name in names), judge)

    @property
    def empty(self) -> bool:
        return not self.voters and self.final is None

    @property
    def identity(self) -> str:
        """Models, in order, and prompts: part of every key."""
        models = [a.model.identity for a in self.voters]
        last = self.final.model.identity if self.final else ""
        return content_key(models, last, prompting.hash_templates(*FAMILIES), VOTE, FINAL)

    def decide(self, case: PanelCase) -> Ruling:
        """The ruling over one report."""
        values = asdict(case)
        for_voters = {name: values[name] for name in ("cwe", "report", "original", "code")}
        votes = []
        failures = []
        for asker in self.voters:
            try:
                answer = _ask_for_score(asker, "adjudicate_voter", VOTE, for_voters)
            except ModelError as error:  # the others' answers are kept for the next time
                failures.append(error)
                continue
            vote = Vote(asker.model.name, None, answer.note)
            if answer.data is not None:
                vote = Vote(vote.model, float(answer.data["score"]), answer.data["reason"])
            votes.append(vote)
        if failures:
            raise failures[0]
        if self.final is None:
            return Ruling(mean_score(votes), "The mean of the votes.", tuple(votes))
        opinions = [f"{v.model}: score {v.score}. {v.reason}" for v in votes]
        data = _ask_for_score(
            self.final, "adjudicate_final", FINAL, {**values, "opinions": opinions}
        ).data
        if data is None:
            refused = "The final judge gave no score: its service refused."
            return Ruling(None, refused, tuple(votes))
        return Ruling(float(data["score"]), data["meta_analysis"], tuple(votes))


def _ask_for_score(
    asker: Asker, family: str, wanted: Mapping[str, Any], values: Mapping[str, Any]
) -> StructuredAnswer:
    """An answer with a score, or a refusal."""
    word = prompting.make_ticket(family, sorted(values.items()))
    question = prompting.build_messages(family, ticket=word, **values)
    answer = asker.ask(question, wanted, ticket=word, misfit=_describe_misfit)
    if answer.data is None and not answer.refused:
        raise ModelError(f"{asker.model.name} gave no ruling: {answer.note}")
    return answer


def _describe_misfit(data: Any, wanted: Mapping[str, Any]) -> str:
    problem = structured.explain_misfit(data, wanted)
    if not problem and not 0 <= data["score"] <= 1:
        problem = f"the score {data['score']!r} is not within 0 and 1"
    return problem


def replace_in_sources(instance: Instance, code: str) -> tuple[dict[str, bytes], tuple[int, int]]:
    """The main sources with the method in its place, and its first and last line.

    Of a released project it is the changed file alone: an engine takes minutes over all of it.
    """
    replaced = replace_method(instance.source, *instance.place, code)
    if replaced.method is None:
        raise KitError(f"{instance.id}: {replaced.error}.")
    repository = instance.repository
    sources = {} if repository.is_released else repository.read_sources("main")
    files = {path: text.encode() for path, text in sources.items()}
    files[str(instance.data["file"])] = replaced.source.encode()
    return files, (replaced.method.first_line, replaced.last_line)


def mark_method_parameters(instance: Instance, files: dict[str, bytes]) -> dict[str, bytes]:
    """The sources with @Untrusted__ before every parameter of the method, on the same lines.

    The rules distrust what is marked. Constants of an enum are known, and so is what the instance
    names under "trusted".
    """
    path = str(instance.data["file"])
    start = locate_method(files[path].decode(), *instance.place).start
    trusted = instance.data.get("trusted", ())

    def is_untrusted(method_start: int, name: str) -> bool:
        return method_start == start and name not in trusted

    return files | {path: mark_parameters(files, path, is_untrusted)}


def mark_parameters(
    files: Mapping[str, bytes], path: str, is_wanted: Callable[[int, str], bool] | None = None
) -> bytes:
    """A file with @Untrusted__ before parameters, by the start of their method and their name."""
    data = files[path]
    enums: set[bytes] = set()
    for source in files.values():
        enums.update(re.findall(rb"\benum\s+(\w+)", source))
    nodes = tree.walk(tree.parse(data.decode(), "java"))
    parameters = [node for node in nodes if node.type in PARAMETERS]
    for node in reversed(parameters):  # a mark moves only what stands after it
        head, _, name = tree.node_text(node).rpartition(" ")
        kind = head.rpartition(" ")[2]
        owner = node.parent.parent if node.parent else None
        if owner is None or owner.type not in METHODS or kind.encode() in enums:
            continue
        if is_wanted is None or is_wanted(owner.start_byte, name):
            data = data[: node.start_byte] + MARK + data[node.start_byte :]
    return data


def program_of(instance: Instance, code: str) -> ScannedProgram:
    """The changed repository as the engine reads it, and the lines of the method."""
    files, lines = replace_in_sources(instance, code)
    return ScannedProgram(mark_method_parameters(instance, files), lines)


def steps_of(finding: Finding) -> tuple[str, ...]:
    """Its flow; the finding's own place where it has none."""
    return finding.flow or (place_of(finding),)


def place_of(finding: Finding) -> str:
    """The finding's own place, in the form of a step."""
    return f"{finding.file}:{finding.line} {finding.function}"


def select_alarms(report: ProgramReport, instance: Instance) -> list[Finding]:
    """The findings of the instance's weakness that touch the method, or whose data pass it."""
    cwe, file = str(instance.data["cwe"]), str(instance.data["file"])
    return [
        finding
        for finding in report.findings
        if sast.is_same_weakness(finding.cwe, cwe) and is_on_lines(finding, file, report.lines)
    ]


def verdict_of_scan(
    name: str, instance: Instance, evidence: Evidence
) -> tuple[Verdict, list[Finding]]:
    """fail where a report matches; undecided where silence says nothing: what did not compile, what
    the engine did not read, and a weakness for which it has no rule; pass is said of the rest."""
    if evidence.status is Status.COMPILE_ERROR:
        sentence = f"Not scanned: {evidence.note}"
        return Verdict(name, Outcome.UNKNOWN, Reason.NO_PROGRAM, sentence, "sast", ("status",)), []
    report = ProgramReport.of(evidence)
    cwe = str(instance.data["cwe"])
    unread = {}
    for path, problem in report.unread.items():
        unread[path] = f"{path} was not read: {problem} What was not read is not called secure."
    alarms = select_alarms(report, instance)
    alarm = ""
    if alarms:
        first = alarms[0]
        alarm = f"{first.file}:{first.line} {first.cwe} {first.rule}: {first.message}"
    quiet = f"No report of {cwe} touches the method."
    verdict = judge_report(
        name, replace(report, unread=unread), [cwe], language="java", alarm=alarm, quiet=quiet
    )
    return replace(verdict, oracle=f"sast:{report.engine_name}", rests_on=("files",)), alarms


def adjudicate_reports(panel: Panel, instance: Instance, code: str, scanned: Evidence) -> Evidence:
    """The scan's evidence with a ruling for each report that matches the instance.

    Raises KitError where a model's service failed; the case is then put again the next time.
    """
    findings = [] if panel.empty else select_alarms(ProgramReport.of(scanned), instance)
    try:
        rulings = [asdict(panel.decide(build_case(instance, code, f))) for f in findings]
    except ModelError as error:
        raise KitError(f"{type(error).__name__}: {error}") from error
    value = scanned.observed.value | {"rulings": rulings, "panel": not panel.empty}
    return replace(scanned, observed=Observed("value", value))


def build_case(instance: Instance, code: str, finding: Finding) -> PanelCase:
    """What a panel sees of one report."""
    files, (first, last) = replace_in_sources(instance, code)
    texts = {path: data.decode().split("\n") for path, data in files.items()}
    flow = []
    for step in dict.fromkeys(steps_of(finding)):
        place = read_step(step)
        begin = max(0, place.line - 1 - MARGIN)
        lines = texts.get(place.file, [])[begin : place.line + MARGIN]
        flow.append("\n".join([step, *lines]))
    around = texts[str(instance.data["file"])]
    return PanelCase(
        cwe=str(instance.data["cwe"]),
        report=f"{finding.rule}: {finding.message}\n{finding.file}:{finding.line}",
        original=instance.method.text,
        code="\n".join(around[first - 1 : last]),
        flow="\n\n".join(flow),
        context="\n".join(around),
    )


def verdict_of_panel(name: str, instance: Instance, evidence: Evidence) -> Verdict:
    """fail where a report stands; without a panel, and without a report, what the scan says."""
    base, findings = verdict_of_scan(name, instance, evidence)
    if evidence.status is not Status.COMPLETED or base.reason is not Reason.FINDING:
        return base
    report = evidence.observed.value
    if not report.get("panel"):
        return replace(base, sentence=f"{base.sentence} {ALONE}")
    pairs = list(zip(findings, report["rulings"], strict=True))
    standing = [pair for pair in pairs if has_standing_score(pair[1]["score"])]
    finding, ruling = (standing or pairs)[0]
    votes = ", ".join(f"{v['model']} {v['score']}" for v in ruling["votes"])
    sentence = f"{finding.rule} scored {ruling['score']} ({votes}): {ruling['reason'][:400]}"
    outcome = Outcome.FAIL if standing else Outcome.PASS
    return Verdict(name, outcome, Reason.JUDGE, sentence, "adjudicate", ("files", "code"))
