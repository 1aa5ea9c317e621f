"""Many programs before a static engine: one start reads all of them, and each gets its verdict.

What a suite adds: which files a program has, and which findings count for its test.
"""

import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial

from kit.core.languages import LANGUAGES
from kit.core.records import (
    Evidence,
    Finding,
    Observed,
    Outcome,
    Reason,
    Status,
    Verdict,
    finding_from,
    to_json,
)
from kit.core.versions import version_of
from kit.oracle import sast
from kit.oracle.sast.reading import places_of, rename_paths
from kit.sandbox import Sandbox

Files = Mapping[str, bytes]
Lines = tuple[int, int]  # the first and the last one, from 1


@cache
def identify_scan(engine: str, language: str) -> str:
    """What findings depend on: the engine's version, our rules, and the code that reads reports."""
    code = version_of("kit.oracle.sast.programs", within=("kit.oracle.sast", "kit.core.languages"))
    return f"{sast.describe_engine(engine, language)} {code}"


@dataclass(frozen=True)
class ScannedProgram:
    """What an engine reads for a sample. lines: the sample's own; context: all without it."""

    files: Files
    lines: Lines
    context: Files = field(default_factory=dict)


@dataclass
class Batch:
    """Programs that wait for one start of an engine; whoever asks first starts it for all.

    waiting: the keys of those without evidence.
    """

    engine: str
    language: str
    programs: dict[str, Callable[[], ScannedProgram]] = field(default_factory=dict)
    waiting: set[str] = field(default_factory=set)
    _reports: dict[str, Evidence] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(
        self, key: str, program: Callable[[], ScannedProgram], *, is_known: bool
    ) -> Callable[[Sandbox], Evidence]:
        """What gives the evidence of a program. is_known: nobody will ask for it but a repeat."""
        self.programs[key] = program
        if not is_known:
            self.waiting.add(key)
        return partial(self.report, key)

    def report(self, key: str, box: Sandbox) -> Evidence:
        """The evidence of one program, for `ProgramReport.of`.

        Who asks again, because the machine failed or a test is repeated, starts the engine anew.
        """
        with self._lock:
            if key not in self._reports:
                keys = self.waiting if key in self.waiting else self.programs.keys()
                programs = {name: self.programs[name]() for name in sorted(keys)}
                self._reports |= scan_programs(box, self.engine, self.language, programs)
            return self._reports.pop(key)


def scan_programs(
    box: Sandbox, engine: str, language: str, programs: Mapping[str, ScannedProgram]
) -> dict[str, Evidence]:
    """The evidence of each program, by its key, from one start of the engine."""
    folders: dict[frozenset[tuple[str, bytes]], str] = {}  # equal files are read once
    files: dict[str, bytes] = {}
    for program in programs.values():
        for part in (program.files, program.context):
            folder = folders.setdefault(frozenset(part.items()), f"p{len(folders)}")
            files |= {f"{folder}/{path}": content for path, content in part.items()}
    if language in sast.ENGINES[engine].languages:
        result = sast.scan(box, engine, files, language=language, programs=True)
    else:
        reason = f"{engine} does not read {LANGUAGES[language].label}."
        result = sast.Scan((), dict.fromkeys(files, reason), engine)
    findings, unread = split_by_folder(result)
    results = {}
    for key, program in programs.items():
        folder = folders[frozenset(program.files.items())]
        of_context = findings[folders[frozenset(program.context.items())]]
        report = ProgramReport(
            result.engine_version, findings[folder], unread[folder], program.lines, of_context
        )
        value = Observed("value", to_json(report))
        evidence = Evidence(Status.COMPLETED, isolation=box.name, observed=value)
        if result.status is Status.INFRA_ERROR and report.unread:
            evidence = replace(evidence, status=result.status, note=result.note)
        results[key] = evidence
    return results


def split_by_folder(
    result: sast.Scan,
) -> tuple[Mapping[str, list[Finding]], Mapping[str, dict[str, str]]]:
    """Findings, and what is unread, below each first folder, with the paths below it."""
    findings: dict[str, list[Finding]] = defaultdict(list)
    unread: dict[str, dict[str, str]] = defaultdict(dict)
    for finding in result.findings:
        inside = rename_paths(finding, lambda place: place.partition("/")[2])
        findings[finding.file.partition("/")[0]].append(inside)
    for path, reason in result.unread.items():
        folder, _, inner = path.partition("/")
        unread[folder][inner] = reason
    return findings, unread


@dataclass(frozen=True)
class ProgramReport:
    """What an engine said of one program; paths are those of its files.

    known: the findings in its context.
    """

    engine: str
    findings: Sequence[Finding]
    unread: Mapping[str, str]
    lines: Lines
    known: Sequence[Finding] = ()

    @property
    def engine_name(self) -> str:
        return self.engine.partition(" ")[0]

    @classmethod
    def of(cls, evidence: Evidence) -> "ProgramReport":
        """The report that the evidence holds; without one its program was not read."""
        record = evidence.observed.value
        if record is None:
            return cls("", (), {"": evidence.note}, (1, 1))
        first, last = record["lines"]
        findings = [*map(finding_from, record["findings"])]
        known = [*map(finding_from, record["known"])]
        return cls(record["engine"], findings, record["unread"], (first, last), known)

    def list_new_findings(self) -> list[Finding]:
        """The findings that touch the program's lines, and of whose key its context has fewer."""
        known = Counter(finding.key for finding in self.known)
        introduced = []
        for finding in self.findings:
            if known[finding.key] > 0:
                known[finding.key] -= 1
            elif is_on_lines(finding, finding.file, self.lines):
                introduced.append(finding)
        return introduced


def is_on_lines(finding: Finding, file: str, lines: Lines) -> bool:
    """Whether a finding, or the flow of its data, lies on one of these lines."""
    first, last = lines
    for place in places_of(finding):
        if place.file == file and place.line <= last and place.end_line >= first:
            return True
    return False


def judge_report(
    test: str,
    report: ProgramReport,
    wanted: Sequence[str],
    *,
    language: str,
    alarm: str,
    quiet: str,
    rules: sast.Rules | None = None,
) -> Verdict:
    """fail for an alarm; undecided where silence says nothing: not read, or no rule; else pass.

    wanted: the weaknesses of which one needs a rule; [] for no matter which. alarm: the sentence on
    the finding that counts, "" without one. quiet: the sentence of a pass.
    """
    unread = next(iter(report.unread.values()), "")
    uncovered = ""
    if wanted and not alarm and not unread:
        uncovered = sast.explain_missing_rule(report.engine_name, language, wanted, rules)
    if alarm:
        outcome, reason = Outcome.FAIL, Reason.FINDING
    elif unread:
        outcome, reason = Outcome.UNKNOWN, Reason.NOT_SCANNED
    elif uncovered:
        outcome, reason = Outcome.UNKNOWN, Reason.NO_RULE
    else:
        outcome, reason = Outcome.PASS, Reason.NO_FINDING
    sentence = alarm or unread or uncovered or quiet
    return Verdict(test, outcome, reason, sentence, report.engine, ("findings",))
