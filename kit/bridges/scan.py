"""`kit scan`: scans a folder of programs with static analysis; with labels, measures accuracy.

No finding never means secure: an unread file, a language without an engine and a weakness without a
rule are counted with the reason, and never as clean. Each file is scanned alone: data flow is
followed within it, and its compiler does not see the folder's headers.
"""

import codecs
import csv
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any

import pandas as pd
from jinja2 import Template
from markupsafe import Markup

from kit.core.errors import KitError
from kit.core.languages import EXTENSIONS, LANGUAGES
from kit.core.paths import read_json, read_text
from kit.core.records import Finding, Outcome
from kit.explore import render
from kit.oracle import sast
from kit.oracle.sast.engines import PRIOR
from kit.oracle.sast.programs import ProgramReport, is_on_lines, judge_report
from kit.oracle.sast.reading import rename_paths
from kit.oracle.sast.source import LANGUAGES as ENDINGS
from kit.run import export
from kit.run.export import FAILED, NOT_RUN, Check, escape_controls, file_uri
from kit.sandbox import Sandbox
from kit.scoring.rates import RATES, measure_detection

SKIPPED = {".git", "node_modules", "__pycache__", ".venv"}
LARGEST = 1_000_000  # bytes of a file
NOBODY = "no engine"
COLUMNS = ["file", "line", "engine", "cwe", "rule", "state", "message"]
WORD = {FAILED: "finding", NOT_RUN: "not read"}


@dataclass(frozen=True)
class Folder:
    """Files by their path below the folder. unread: programs that were not opened, and why."""

    name: str
    programs: Mapping[str, bytes]
    unread: Mapping[str, str]
    others: Counter[str]  # extension -> number of files that are not programs


def language_of(path: str) -> str:
    """The language of a file's extension; "" if it is unknown."""
    return EXTENSIONS.get(Path(path).suffix.lower(), "")


def read_folder(folder: Path) -> Folder:
    """All programs of a folder. Raises KitError if there is none."""
    if not folder.is_dir():
        raise KitError(f"No folder {folder}. Name a folder of programs.")
    programs: dict[str, bytes] = {}
    unread: dict[str, str] = {}
    others = Counter[str]()
    for place, below, names in os.walk(folder):
        below[:] = sorted(set(below) - SKIPPED)
        links = [name for name in below if Path(place, name).is_symlink()]
        for entry in sorted([*names, *links]):
            path = Path(place, entry)
            raw = os.fsencode(path.relative_to(folder).as_posix())
            name = escape_controls(raw.decode("utf-8", "backslashreplace"))
            if not language_of(name) and entry not in links:
                others[path.suffix or "no ending"] += 1
            elif path.is_symlink():
                unread[name] = "It is a symbolic link; links are not followed."
            elif not path.is_file() or not os.access(path, os.R_OK):
                unread[name] = "It is not a readable file."
            elif path.stat().st_size > LARGEST:
                unread[name] = f"It has more than {LARGEST} bytes."
            else:
                programs[name] = path.read_bytes().removeprefix(codecs.BOM_UTF8)
    if not programs and not unread:
        kinds = ", ".join(f"{end} {n}" for end, n in others.most_common(5))
        endings = " ".join(sorted(EXTENSIONS))
        raise KitError(
            f"No program in {folder} ({kinds or 'it is empty'}). Extensions of programs: {endings}."
        )
    return Folder(str(folder), programs, unread, others)


@dataclass(frozen=True)
class FolderScan:
    """The engines' findings. unread: (engine, path) -> the reason, a sentence."""

    folder: Folder
    engines: Mapping[str, Sequence[str]]  # language -> engines used
    versions: Mapping[str, str]
    findings: Sequence[Finding]
    unread: Mapping[tuple[str, str], str]
    rules: sast.Rules | None


def run_engines(
    folder: Folder, asked: str, box: Sandbox, rules: sast.Rules | None = None
) -> FolderScan:
    """Scan every program. asked: the engines: best, all, or names separated by commas."""
    groups: dict[str, list[str]] = {}
    for path in folder.programs:
        groups.setdefault(language_of(path), []).append(path)
    engines = {language: _select_engines(asked, language, rules) for language in groups}
    unread = {(NOBODY, path): reason for path, reason in folder.unread.items()}
    findings: list[Finding] = []
    versions: dict[str, str] = {}
    for language, paths in groups.items():
        if not engines[language]:
            reader = "selected engine reads" if rules is None else "rule of yours covers"
            reason = f"No {reader} {LANGUAGES[language].label}."
            for path in paths:
                unread[NOBODY, path] = reason
            continue
        # neutral names: a folder called tests or an unusual character must not affect an engine
        boxed = {f"{n}/program{ENDINGS[language]}": path for n, path in enumerate(paths)}
        files = {name: folder.programs[path] for name, path in boxed.items()}
        for engine in engines[language]:
            report = sast.scan(box, engine, files, language=language, rules=rules)
            versions[engine] = report.engine_version
            for name, reason in report.unread.items():
                unread[engine, boxed[name]] = reason
            for finding in report.findings:
                findings.append(_restore_finding(finding, engine, boxed[finding.file]))
    findings.sort(key=attrgetter("file", "line", "engine", "rule"))
    return FolderScan(folder, engines, versions, findings, unread, rules)


def _restore_finding(finding: Finding, engine: str, path: str) -> Finding:
    """The finding where its file is in the folder, of the engine that was asked for.

    Of an engine that joins others, the rule names the one that has it.
    """

    def restore_path(place: str) -> str:
        return place.replace(finding.file, path, 1)

    rule = finding.rule
    if finding.engine != engine:
        rule = f"{finding.engine} {rule}"
    return replace(rename_paths(finding, restore_path), engine=engine, rule=rule)


def _select_engines(asked: str, language: str, rules: sast.Rules | None) -> list[str]:
    """The selected engines that read the language. KitError if one is unknown or not installed."""
    engines = tuple(sast.ENGINES) if rules is None else sast.RULED
    names = asked.split(",")
    choices = ("best", "all", *engines)
    for name in names:
        if name not in choices:
            kind = "is named" if rules is None else "that reads your rules is named"
            raise KitError(f"No engine {kind} {name!r}. Use one of: {', '.join(choices)}.")
    for name in set(names) & set(engines):
        sast.require_version(name)
    able = sast.capable_engines(language, rules)
    if "all" in names:
        return able
    if "best" in names:
        names += able[:1]
    return [name for name in able if name in names]


@dataclass(frozen=True)
class FileLabel:
    """A file's label: it has the weakness `cwe`, or none if that is "".

    line: a finding must touch it; 0 for any. group: its files are alike and resampled together.
    """

    file: str
    cwe: str
    line: int
    group: str


def read_labelled_folder(labels: Path, place: Path) -> tuple[Folder, list[FileLabel]]:
    """The programs of a folder, and their labels in a CSV file; KitError for a file not in it."""
    if not labels.exists():
        raise KitError(f"No labels in {labels}. Name a CSV file with the columns file, cwe, line.")
    folder = read_folder(place)
    rows = list(_read_labels(labels))
    for row in rows:
        if row.file not in {*folder.programs, *folder.unread}:
            raise KitError(
                f"{labels} labels {row.file}, which is not in {folder.name}. "
                "Correct the name in the labels, or remove the row."
            )
    return folder, rows


def _read_labels(path: Path) -> Iterator[FileLabel]:
    rows = csv.DictReader(read_text(path).lstrip("\ufeff").splitlines())
    if not {"file", "cwe"} <= {*(rows.fieldnames or ())}:
        raise KitError(f"{path} has the columns {rows.fieldnames}. Name them file, cwe, line.")
    is_secure: dict[str, bool] = {}
    for number, row in enumerate(rows, 2):
        file = os.path.normpath(row["file"] or "")
        line = (row.get("line") or "").strip()
        text = (row["cwe"] or "").strip()
        match = re.fullmatch(r"(?i)(?:CWE-?)?0*(\d+)", text)
        cwe = f"CWE-{match[1]}" if match else ""
        wrong = ""
        if text and not cwe:
            wrong = f"{row['cwe']!r} is not a CWE"
        elif line and not line.isdecimal():
            wrong = f"{line!r} is not a line"
        if wrong:
            mend = "Write CWE-79, and 12; an empty cwe labels a secure file"
            raise KitError(f"Row {number} of {path}: {wrong}. {mend}.")
        if is_secure.setdefault(file, not cwe) != (not cwe):
            raise KitError(f"{path} labels {file} both secure and insecure. Remove one of them.")
        yield FileLabel(file, cwe, int(line or 0), row.get("group") or file)


def compare_with_labels(result: FolderScan, labels: Iterable[FileLabel]) -> pd.DataFrame:
    """One row per label and engine: the label and the engine's outcome (fail, pass or unknown).

    A secure file with false alarms counts once, under the first of the reported CWEs. Without a
    finding, the outcome is unknown, not pass, if the file was not read or no rule covers the CWE.
    """
    rows = []
    for label in labels:
        engines: Sequence[str] = [NOBODY]
        if (NOBODY, label.file) not in result.unread:
            engines = result.engines[language_of(label.file)]
        rows += [_compare_with_label(result, label, engine) for engine in engines]
    columns = ["engine", "task", "file", "cwe", "language", "label", "outcome", "message"]
    return pd.DataFrame(rows, columns=columns)


def _compare_with_label(result: FolderScan, label: FileLabel, engine: str) -> dict[str, str]:
    hits = [f for f in result.findings if f.engine == engine and _is_meant(f, label)]
    unread = {}
    if (engine, label.file) in result.unread:
        unread[label.file] = result.unread[engine, label.file]
    cwe = label.cwe
    if hits and not cwe:
        cwe = min(finding.cwe for finding in hits)
    language = language_of(label.file)
    verdict = judge_report(
        "",
        ProgramReport(engine, hits, unread, (1, 1)),
        [label.cwe] if label.cwe else [],
        language=language,
        alarm="found" if hits else "",
        quiet="clean",
        rules=result.rules,
    )
    message = verdict.sentence if verdict.outcome is Outcome.UNKNOWN else ""
    return {
        "engine": engine,
        "task": label.group,
        "file": label.file,
        "cwe": cwe,
        "language": language,
        "label": "fail" if label.cwe else "pass",
        "outcome": str(verdict.outcome),
        "message": message,
    }


def _is_meant(finding: Finding, label: FileLabel) -> bool:
    """Does the finding report the label's weakness and, if the label has a line, touch it?"""
    if label.cwe and not sast.is_same_weakness(finding.cwe, label.cwe):
        return False
    if not label.line:
        return finding.file == label.file
    return is_on_lines(finding, label.file, (label.line, label.line))


def measure_findings(rows: pd.DataFrame) -> pd.DataFrame:
    """Precision, recall and F1 with intervals, by engine, language and CWE (kit.scoring)."""
    measured = [row for row in measure_detection(rows, ["language", "cwe"]) if row["of"]]
    return pd.DataFrame(measured).rename(columns={"unread": "undecided"})


def list_checks(result: FolderScan) -> list[Check]:
    """The checks for SARIF: findings as failed checks, unread files as checks not run."""
    home = Path(result.folder.name)
    times = Counter[tuple[str, ...]]()
    findings = list(result.findings)
    for (engine, file), reason in result.unread.items():
        findings.append(Finding(engine, "", file=file, message=reason))
    checks = []
    for f in findings:
        key = (f.engine, f.rule, f.file, f.function, f.message)
        times[key] += 1
        severity = 0.0
        if f.rule and not result.rules:
            severity = estimate_severity(f)
        checks.append(
            Check(
                "scan",
                f.engine,
                f.file,
                f.rule,
                "security",
                f.cwe,
                FAILED if f.rule else NOT_RUN,
                escape_controls(f.message),
                file_uri(home / f.file) if home.is_dir() else f.file,
                f.line,
                0.0,
                (*key, str(times[key])),
                severity=severity,
            )
        )
    return checks


def exit_code(reports: Iterable[Check]) -> int:
    """1 if a finding is by a rule that is mostly right; else 3 if a file was not read; else 0."""
    return export.exit_code(c for c in reports if c.state != FAILED or c.is_grave)


def describe_version(engine_version: str) -> str:
    """An engine's name and version without digests of rules, such as "a 1 + b 2, combined"."""
    name = re.sub(r"(, table| rules) \w+", "", engine_version)
    if not name.startswith(f"{sast.JOINED} "):
        return name
    parts = name.removeprefix(f"{sast.JOINED} ").replace("gcc-fanalyzer", "gcc").split(", ")
    return f"{' + '.join(parts)}, combined"


@cache
def read_false_alarms() -> dict[str, Any]:
    """What a scan found in the kit's own labelled programs: tests/benchmarks/false_alarms.py."""
    known: dict[str, Any] = read_json(sast.RULES / "false_alarms.json")
    return known


def estimate_severity(finding: Finding) -> float:
    """Ten times the measured precision of the finding's rule, as an alert's security-severity.

    10 (insecure + 2 p) / (programs + 2): of the kit's own programs in which the rule has a finding,
    and p of those in which any has.
    """
    alarms = read_false_alarms()
    programs = alarms["found"]
    average: float = programs["insecure"] / sum(programs.values())
    rule = finding.rule
    if finding.engine != sast.JOINED:
        rule = f"{finding.engine} {rule}"
    counts = Counter(alarms["rules"].get(rule, {}))
    return round(10 * (counts["insecure"] + PRIOR * average) / (counts.total() + PRIOR), 1)


def tabulate_findings(reports: Iterable[Check]) -> pd.DataFrame:
    """One row per finding, and one per program and engine that did not read it."""
    rows = [(c.program, c.line, c.task, c.cwe, c.test, WORD[c.state], c.sentence) for c in reports]
    return pd.DataFrame(rows, columns=COLUMNS)


def count_files_by_reason(rows: pd.DataFrame) -> pd.DataFrame:
    """Number of unread or undecided files by engine and reason; rows: a table of findings."""
    groups = rows.groupby(["engine", "message"], as_index=False)
    counted = groups.agg(files=("file", "nunique"), first=("file", "min"))
    return counted.sort_values("files", ascending=False, kind="stable")


def make_template_values(
    result: FolderScan, every: pd.DataFrame, rows: pd.DataFrame, scores: pd.DataFrame
) -> dict[str, Any]:
    """The values for scan.j2 and scan.html.j2, from both tables of findings."""
    false_alarms = {}
    if "python" in result.engines and not result.rules:
        false_alarms = read_false_alarms()
    marked = {}
    for file, findings in groupby(result.findings, key=attrgetter("file")):
        code = result.folder.programs[file].decode()
        lines = render.group_findings_by_line(findings, code)
        marked[file] = Markup(render.make_code_listing(code, language_of(file), alerts=lines))
    return {
        "result": result,
        "covered": sast.covered_weaknesses,
        "labels": LANGUAGES,
        "languages": Counter(map(language_of, result.folder.programs)),
        "scores": _join_intervals(scores) if len(rows) else scores,
        "findings": every[every["state"] == "finding"],
        "rows": rows.drop_duplicates("file"),
        "lost": count_files_by_reason(every[every["state"] == "not read"]),
        "marked": marked,
        "undecided": count_files_by_reason(rows[rows["outcome"] == "unknown"]),
        "style": Markup(render.STYLE),
        "spoken": describe_version,
        "measured": false_alarms,
    }


def _join_intervals(scores: pd.DataFrame) -> pd.DataFrame:
    """The scores with each rate and its interval in one column, as text."""
    table = scores.copy()
    for name in RATES:
        low, high = table.pop(f"{name}_low"), table.pop(f"{name}_high")
        texts = []
        for rate, least, most in zip(scores[name], low, high, strict=True):
            texts.append(f"{rate:.2f} [{least:.2f}, {most:.2f}]".replace("nan", "-"))
        table[name] = texts
    return table


def render_template(name: str, values: Mapping[str, Any]) -> str:
    """A template rendered with the values of `make_template_values`; values are escaped in HTML."""
    text = Path(__file__).with_name(name).read_text(encoding="utf-8")
    escapes = name.endswith(".html.j2")
    shape = Template(text, trim_blocks=True, lstrip_blocks=True, autoescape=escapes)
    return str(shape.render(values, Markup=Markup))
