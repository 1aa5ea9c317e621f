"""A changed repository before a static engine, and its reports before a panel of judges.

One start of the engine serves all of a batch. A report counts for an instance if its weakness is
the instance's and it touches the method.

Voters score each report, a final judge has the last word. score = how likely the report is true, in
[0, 1]; a report stands if the final score is > 0.5 (RealSec-bench, section 4.3: the other way round
in its text, the same verdict). A refusal is no acquittal: then the report stands. Over a malformed
answer there is no ruling; it is asked for anew.
"""

import hashlib
import json
import re
import threading
from collections.abc import Callable, Iterable, Mapping, MutableMapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from kit.errors import KitError
from kit.generation import prompting, structured
from kit.generation.base import ModelError
from kit.generation.models import opened
from kit.generation.structured import Answer, Asker
from kit.harness.languages import tree
from kit.oracle import sast
from kit.oracle.sast import RULES
from kit.records import (
    Evidence,
    Finding,
    Outcome,
    Reason,
    Status,
    Verdict,
    content_key,
    finding_from,
    to_json,
)
from kit.sandbox import Sandbox
from kit.systems.realsec.instance import METHODS, Instance, locate
from kit.systems.realsec.instance import replace as replaced
from kit.systems.realsec.testing import sources
from kit.versions import version_of

NUMBER, TEXT = {"type": "number"}, {"type": "string"}
VOTE = structured.schema(analysis=TEXT, reason=TEXT, score=NUMBER)
FINAL = structured.schema(meta_analysis=TEXT, score=NUMBER)
FAMILIES = ("adjudicate_voter", "adjudicate_final")
ALONE = "No panel was asked: the static analyser's verdict stands alone."


@dataclass(frozen=True)
class Case:
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
        return upheld(self.score)

    @property
    def majority(self) -> bool:
        """What the voters alone would say."""
        return upheld(mean_score(self.votes))


def upheld(score: float | None) -> bool:
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
        names = [name.strip() for name in voters.split(",") if name.strip()]
        judge = Asker(opened(final), cache) if final else None
        return cls(tuple(Asker(opened(name), cache) for name in names), judge)

    @property
    def empty(self) -> bool:
        return not self.voters and self.final is None

    @property
    def identity(self) -> str:
        """Models, in order, and prompts: part of every key."""
        models = [a.model.identity for a in self.voters]
        last = self.final.model.identity if self.final else ""
        return content_key(models, last, prompting.fingerprint(*FAMILIES), VOTE, FINAL)

    def decide(self, case: Case) -> Ruling:
        """The ruling over one report."""
        values = asdict(case)
        for_voters = {name: values[name] for name in ("cwe", "report", "original", "code")}
        votes = []
        for asker in self.voters:
            answer = _ask(asker, "adjudicate_voter", VOTE, for_voters)
            score = None if answer.data is None else float(answer.data["score"])
            reason = answer.note if answer.data is None else answer.data["reason"]
            votes.append(Vote(asker.model.name, score, reason))
        if self.final is None:
            return Ruling(mean_score(votes), "The mean of the votes.", tuple(votes))
        opinions = [f"{v.model}: score {v.score}. {v.reason}" for v in votes]
        data = _ask(self.final, "adjudicate_final", FINAL, {**values, "opinions": opinions}).data
        if data is None:
            refused = "The final judge gave no score: its service refused."
            return Ruling(None, refused, tuple(votes))
        return Ruling(float(data["score"]), data["meta_analysis"], tuple(votes))


def _ask(asker: Asker, family: str, wanted: Mapping[str, Any], values: Mapping[str, Any]) -> Answer:
    """An answer with a score, or a refusal."""
    word = prompting.ticket(family, sorted(values.items()))
    question = prompting.messages(family, ticket=word, **values)
    answer = asker.ask(question, wanted, ticket=word, misfit=_misfit)
    if answer.data is None and not answer.refused:
        raise ModelError(f"{asker.model.name} gave no ruling: {answer.note}")
    return answer


def _misfit(data: Any, wanted: Mapping[str, Any]) -> str:
    if problem := structured.misfit(data, wanted):
        return problem
    return "" if 0 <= data["score"] <= 1 else f"the score {data['score']!r} is not within 0 and 1"


MARK = b"@Untrusted__ "  # rules/java/flows.yaml knows it
PARAMETERS = ("formal_parameter", "spread_parameter")
MARGIN = 2  # lines around a step of the flow


def version(engine: str) -> str:
    """The version of the scanner: the engine, our rules, and the code that starts it."""
    texts = b"\0".join(p.read_bytes() for p in sorted((RULES / "java").glob("*.yaml")))
    code = version_of("kit.oracle.sast", within=("kit.oracle.sast",))
    number = sast.version(engine)
    return f"{engine} {number} {hashlib.sha256(texts).hexdigest()[:12]} {code}"


@dataclass
class Batch:
    """Changed repositories that wait for the engine; whoever asks first starts it for all.

    code: key -> (instance, method). Threads may share one.
    """

    engine: str
    code: dict[str, tuple[Instance, str]] = field(default_factory=dict)
    _done: dict[str, Evidence] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def report(self, box: Sandbox, key: str) -> Evidence:
        """The findings in this repository, as JSON on the channel; KitError where it failed."""
        with self._lock:
            if not self._done:
                self._done = scan(box, self.engine, self.code)
            return self._done[key]


def changed(instance: Instance, code: str) -> tuple[dict[str, bytes], tuple[int, int]]:
    """The main sources with the method in its place, and its first and last line."""
    done = replaced(instance.source, *instance.place, code)
    if done.method is None:
        raise KitError(f"{instance.id}: {done.error}.")
    files = {p: t.encode() for p, t in sources(instance.repository, "main").items()}
    files[str(instance.data["file"])] = done.source.encode()
    return files, (done.method.first_line, done.last_line)


def bordered(instance: Instance, files: dict[str, bytes]) -> dict[str, bytes]:
    """The sources with @Untrusted__ before every parameter of the method, on the same lines.

    The rules distrust what is marked. Constants of an enum are known, and so is what the instance
    names under "trusted".
    """
    path = str(instance.data["file"])
    start = locate(files[path].decode(), *instance.place).start
    trusted = instance.data.get("trusted", ())
    return files | {path: marked(files, path, lambda at, name: at == start and name not in trusted)}


def marked(
    files: Mapping[str, bytes], path: str, wanted: Callable[[int, str], bool] = lambda *_: True
) -> bytes:
    """A file with @Untrusted__ before parameters, by the start of their method and their name."""
    data, text = files[path], files[path].decode()
    enums = {n.decode() for t in files.values() for n in re.findall(rb"\benum\s+(\w+)", t)}
    for node in reversed([n for n in tree.walk(tree.parse(text, "java")) if n.type in PARAMETERS]):
        head, _, name = tree.text(node).rpartition(" ")
        owner = node.parent.parent if node.parent else None
        if owner is None or owner.type not in METHODS or head.rpartition(" ")[2] in enums:
            continue
        if wanted(owner.start_byte, name):
            data = data[: node.start_byte] + MARK + data[node.start_byte :]
    return data


def scan(box: Sandbox, engine: str, batch: dict[str, tuple[Instance, str]]) -> dict[str, Evidence]:
    """Key -> evidence, from one start of the engine over all changed repositories."""
    files: dict[str, bytes] = {}
    lines: dict[str, tuple[int, int]] = {}
    short = {key: f"p{n}" for n, key in enumerate(sorted(batch))}
    for key, (instance, code) in batch.items():
        mine, lines[key] = changed(instance, code)
        mine = bordered(instance, mine)
        files |= {f"{short[key]}/{path}": text for path, text in mine.items()}
    report = sast.scan(box, engine, files, language="java", programs=True)
    out = {}
    for key in batch:
        top = f"{short[key]}/"
        findings = [relative(f, top) for f in report.findings if f.file.startswith(top)]
        unread = {p.removeprefix(top): w for p, w in report.unread.items() if p.startswith(top)}
        record = {"engine": report.engine_version, "findings": [to_json(f) for f in findings],
                "unread": unread, "lines": lines[key]}  # fmt: skip
        out[key] = Evidence(Status.COMPLETED, channel=json.dumps(record).encode())
    return out


def steps_of(finding: Finding) -> tuple[str, ...]:
    """Its flow; the finding's own place where it has none."""
    return finding.flow or (f"{finding.file}:{finding.line} {finding.function}",)


def parts_of(step: str) -> tuple[str, int, str]:
    """(file, line, function) of a step of a flow."""
    place, _, function = step.partition(" ")
    file, _, line = place.rpartition(":")
    return file, int(line), function


def relative(finding: Finding, top: str) -> Finding:
    """The finding with its paths relative to this folder."""
    flow = tuple(step.removeprefix(top) for step in finding.flow)
    return replace(finding, file=finding.file.removeprefix(top), flow=flow)


def read(evidence: Evidence) -> dict[str, Any]:
    """The report of one repository, its findings as Findings."""
    report: dict[str, Any] = json.loads(evidence.channel)
    return report | {"findings": [finding_from(f) for f in report["findings"]]}


def matching(found: Iterable[Finding], instance: Instance, lines: tuple[int, int]) -> list[Finding]:
    """Those of the instance's weakness that touch the method, or whose data flow through it."""
    cwe, file = str(instance.data["cwe"]), str(instance.data["file"])
    return [
        f for f in found
        if sast.counts(f.cwe, cwe)
        and any(p == file and a <= lines[1] and b >= lines[0] for p, a, b in _touched(f))
    ]  # fmt: skip


def _touched(finding: Finding) -> Iterable[tuple[str, int, int]]:
    yield finding.file, finding.line, max(finding.line, finding.end_line)
    for step in finding.flow:
        file, line, _ = parts_of(step)
        yield file, line, line


def verdict_of_scan(
    name: str, instance: Instance, evidence: Evidence
) -> tuple[Verdict, list[Finding]]:
    """fail where a report matches; undecided where silence says nothing: what did not compile, what
    the engine did not read, and a weakness for which it has no rule; pass is said of the rest."""
    if evidence.status is Status.COMPILE_ERROR:
        sentence = f"Not scanned: {evidence.note}"
        return Verdict(name, Outcome.UNKNOWN, Reason.NO_PROGRAM, sentence, "sast", ("status",)), []
    report = read(evidence)
    engine, cwe = str(report["engine"]).partition(" ")[0], str(instance.data["cwe"])
    alerts = matching(report["findings"], instance, tuple(report["lines"]))
    outcome, reason = Outcome.UNKNOWN, Reason.NOT_SCANNED
    if alerts:
        first, outcome, reason = alerts[0], Outcome.FAIL, Reason.FINDING
        sentence = f"{first.file}:{first.line} {first.cwe} {first.rule}: {first.message}"
    elif report["unread"]:
        path, problem = next(iter(report["unread"].items()))
        sentence = f"{path} was not read: {problem} What was not read is not called secure."
    elif sentence := sast.uncovered(engine, "java", [cwe]):
        reason = Reason.NO_RULE
    else:
        outcome, reason = Outcome.PASS, Reason.NO_FINDING
        sentence = f"No report of {cwe} touches the method."
    return Verdict(name, outcome, reason, sentence, f"sast:{engine}", ("files",)), alerts


def decide(panel: Panel, instance: Instance, code: str, scanned: Evidence) -> Evidence:
    """The scan's evidence with a ruling for each report that matches the instance.

    Raises KitError where a model's service failed; the case is then put again the next time.
    """
    scan_report = read(scanned)
    findings = matching(scan_report["findings"], instance, tuple(scan_report["lines"]))
    rulings = []
    try:
        for finding in findings if not panel.empty else ():
            rulings.append(asdict(panel.decide(case(instance, code, finding))))
    except ModelError as error:
        raise KitError(f"{type(error).__name__}: {error}") from error
    report = json.loads(scanned.channel) | {"rulings": rulings, "panel": not panel.empty}
    return replace(scanned, channel=json.dumps(report).encode())


def case(instance: Instance, code: str, finding: Finding) -> Case:
    """What a panel sees of one report."""
    files, (first, last) = changed(instance, code)
    texts = {path: data.decode().split("\n") for path, data in files.items()}
    flow = []
    for step in dict.fromkeys(steps_of(finding)):
        path, line, _ = parts_of(step)
        shown = texts.get(path, [])[max(0, line - 1 - MARGIN) : line + MARGIN]
        flow.append("\n".join([step, *shown]))
    around = texts[str(instance.data["file"])]
    alert = f"{finding.rule}: {finding.message}\n{finding.file}:{finding.line}"
    method = "\n".join(around[first - 1 : last])
    return Case(str(instance.data["cwe"]), alert, instance.method.text, method,
                "\n\n".join(flow), "\n".join(around))  # fmt: skip


def verdict_of_panel(name: str, instance: Instance, evidence: Evidence) -> Verdict:
    """fail where a report stands; without a panel, and without a report, what the scan says."""
    base, findings = verdict_of_scan(name, instance, evidence)
    if evidence.status is not Status.COMPLETED or base.reason is not Reason.FINDING:
        return base
    report = read(evidence)
    if not report.get("panel"):
        return replace(base, sentence=f"{base.sentence} {ALONE}")
    ruled = list(zip(findings, report["rulings"], strict=True))
    standing = [pair for pair in ruled if upheld(pair[1]["score"])]
    finding, ruling = (standing or ruled)[0]
    votes = ", ".join(f"{v['model']} {v['score']}" for v in ruling["votes"])
    sentence = f"{finding.rule} scored {ruling['score']} ({votes}): {ruling['reason'][:400]}"
    outcome = Outcome.FAIL if standing else Outcome.PASS
    return Verdict(name, outcome, Reason.JUDGE, sentence, "adjudicate", ("files", "code"))
