"""The static analysis engines: where they are, how to install them, and one run over all files.

A start that did not end well is Failed; a file that an engine does not report on is unread. Semgrep
pins versions of click and others that conflict with a notebook's packages, so each engine is in a
folder of its own below the cache; the sandbox's own Python runs the Python ones from there.
"""

import hashlib
import json
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache as once
from pathlib import Path
from typing import Any

from kit.core.errors import KitError
from kit.core.languages import LANGUAGES
from kit.core.paths import cache_root
from kit.core.records import Evidence, Finding, Status
from kit.oracle.sast import reading
from kit.sandbox import Limits, Sandbox

(PYTHON,) = LANGUAGES["python"].command  # the one that the sandbox has
WHEEL = "tackbox-opengrep==0.1.0"  # it carries opengrep 1.30.0
WHEEL_HASH = "51087843e63c0a1342eb91b562a6e87f65178f2909393b0c017b367999748cef"
VERSIONS = {"opengrep": "1.30.0", "semgrep": "1.182.0", "bandit": "1.9.4"}
ANALYZER_SINCE = 12  # the first gcc whose -fanalyzer is useful
JOINED = "joined"
PRECISION = Path(__file__).parent / "rules" / "precision.json"
LEAST, PRIOR = 0.9, 2  # the precision of a verdict; how many reports the engine's average is worth
RULED = ("opengrep", "semgrep")  # they read rules of users
LIMITS = Limits(
    wall_s=300,
    cpu_s=600,
    memory_mb=3000,
    processes=128,
    file_mb=128,
    disk_mb=512,
    output_kb=4096,
    artefact_mb=64,
)
RULE_S = 20  # that one rule may take with one file
FILE_S = 30  # that gcc may take with one file
GREP = ["scan", "--config", "rules", "--sarif-output=o.sarif", "--json-output=o.json", "-q"]
GREP += ["--dataflow-traces", "--disable-nosem", "--no-git-ignore", "--no-rewrite-rule-ids"]
GREP += ["--x-ignore-semgrepignore-files", "--max-target-bytes=0", "-j", "2"]
GREP += [f"--timeout={RULE_S}", "--timeout-threshold=1"]
PASSES = 2
GCC = f"""mkdir out; for f do mkdir -p "out/$(dirname "$f")"; for pass in "-fanalyzer" "-O2"; do
timeout {FILE_S} gcc $pass -Wall -Wextra -Wformat=2 -Wnull-dereference -Wcast-align=strict -S \\
  -o /dev/null -fdiagnostics-format=json "src/$f" 2>>"out/$f.json" || echo "[[$?]]" >>"out/$f.json"
echo >>"out/$f.json"; done; done"""
CODEQL = """/opt/codeql database create db --language=%s --source-root=src --build-mode=none -j2 \\
&& /opt/codeql database analyze db --format=sarif-latest --output=o.sarif -j2 \\
  codeql/%s-queries:codeql-suites/%s-security-extended.qls"""


def engine_folder(engine: str) -> Path:
    """Where a pinned engine is, or will be."""
    return cache_root() / "engines" / f"{engine}-{VERSIONS[engine]}"


def version(engine: str) -> str:
    """The installed version, "" if the engine is not installed."""
    if engine in VERSIONS:
        return VERSIONS[engine] if (engine_folder(engine) / "complete").exists() else ""
    if engine == JOINED:
        versions = [f"{name} {version(name)}" for name in members()]
        table = hashlib.sha256(PRECISION.read_bytes()).hexdigest()[:8]
        return ", ".join([*versions, f"table {table}"]) if versions else ""
    if engine == "codeql":
        path = shutil.which("codeql")
        return _read_first_line(path, "version", "--format=terse") if path else ""
    number = _read_first_line("/usr/bin/gcc", "-dumpfullversion")
    return number if number and int(number.split(".")[0]) >= ANALYZER_SINCE else ""


def require_version(engine: str) -> str:
    """The installed version. KitError if the engine is not installed."""
    number = version(engine)
    if number:
        return number
    raise KitError(f"{engine} is not here. Type: kit doctor, which says how to get it")


@once
def _read_first_line(*line: str) -> str:
    """The first line that a command prints, "" if it does not run."""
    try:
        done = subprocess.run(line, capture_output=True, text=True, timeout=60, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.partition("\n")[0].strip()


def install(engine: str) -> str:
    """Install a pinned engine from PyPI; returns what was done. KitError if it failed."""
    if engine not in VERSIONS:
        raise KitError(f"{engine} cannot be installed from PyPI. Use one of: {', '.join(VERSIONS)}")
    place = engine_folder(engine)
    if version(engine):
        return f"{engine} {VERSIONS[engine]} is in {place}"
    from kit.harness import wheels  # nothing else of the harness is wanted here

    if engine == "opengrep":
        wheels.make_whole_folder(place, _unpack_opengrep)
    else:
        wheels.make_whole_folder(
            place, lambda made: wheels.install_with_pip(made, f"{engine}=={VERSIONS[engine]}")
        )
    return f"{engine} {VERSIONS[engine]} is now in {place}"


def _unpack_opengrep(made: Path) -> None:
    """Only the analyser itself, which starts in a tenth of a second; its wrapper takes one."""
    from kit.harness import wheels

    with tempfile.TemporaryDirectory() as name:
        part = Path(name)
        lock = part / "lock.txt"
        lock.write_text(f"{WHEEL} --hash=sha256:{WHEEL_HASH}\n")
        wheels.install_with_pip(part / "wheel", "--no-deps", "--require-hashes", "-r", str(lock))
        wrapper = str(part / "wheel/tackbox_opengrep/bin/opengrep")
        wheels.run_command(
            [wrapper, "--version"], env={"HOME": str(part)}
        )  # it unpacks itself below it
        core = next((part / ".cache").rglob("opengrep-core"), None)
        if core is None:
            raise KitError(f"{WHEEL} did not unpack its analyser; go on with semgrep or bandit.")
        shutil.move(core, made / "osemgrep")  # by this name it reads the command line itself
    (made / "osemgrep").chmod(0o755)


@dataclass(frozen=True)
class EngineReport:
    """What an engine said. unread: file -> the reason; status: how a failed start ended."""

    findings: list[Finding]
    unread: dict[str, str]
    status: Status = Status.COMPLETED

    def merged_with(self, other: "EngineReport") -> "EngineReport":
        """What both said; of two failed starts the later one counts."""
        status = self.status if other.status is Status.COMPLETED else other.status
        findings = self.findings + other.findings
        return EngineReport(findings, self.unread | other.unread, status)


@dataclass(frozen=True, eq=False)
class Rules:
    """language -> file -> rules as JSON."""

    files: Mapping[str, Mapping[str, bytes]]


@dataclass(frozen=True)
class EngineBatch:
    """What an engine is started on: `files` lie in src/, `rules` in rules/."""

    box: Sandbox
    files: Mapping[str, bytes]
    language: str
    rules: Mapping[str, bytes]

    def run(self, argv: list[str], engine: Path | None = None, **env: str) -> Evidence:
        """Run the command in a box of its own; Failed if it did not run to its end."""
        placed = {f"src/{path}": content for path, content in self.files.items()}
        placed |= {f"rules/{path}": content for path, content in self.rules.items()}
        result = self.box.run(
            argv,
            files=placed,
            env={"HOME": "/tmp", **env},
            limits=LIMITS,
            observe=False,
            mounts={"/opt": engine} if engine else {},
        )
        if result.status is not Status.COMPLETED:
            raise Failed(result.status, result.note or f"the engine ended with {result.status}")
        return result


class Failed(Exception):
    """A start whose report, if any, says nothing about the files."""

    def __init__(self, status: Status, note: str) -> None:
        super().__init__(note)
        self.status, self.note = status, note


def _read_output_file(result: Evidence, name: str, *codes: int) -> bytes:
    """A file that the engine wrote; Failed if it is missing, or the exit code is none of these."""
    if result.exit_code not in codes or name not in result.files:
        message = " ".join((result.err.strip() or result.out.strip()).split())[-300:]
        raise Failed(Status.CRASHED, f"exit code {result.exit_code}, no report: {message}")
    return result.files[name]


def _build_report(
    batch: EngineBatch, findings: list[Finding], looked_at: set[str], bad: Mapping[str, str]
) -> EngineReport:
    """A file is unread for the engine's own reason, or because the engine never named it."""
    if "*" in bad:
        raise Failed(Status.HARNESS_ERROR, bad["*"])
    named = set(map(_below_src, looked_at))
    unread = {p: "The engine passed over the file." for p in batch.files if p not in named}
    for path, reason in bad.items():
        unread[_below_src(path)] = f"The engine could not read all of it: {reason}."
    return EngineReport([reading.rename_paths(f, _below_src) for f in findings], unread)


def _below_src(path: str) -> str:
    return path.removeprefix("/box/").removeprefix("src/")


def _parse_grep_result(batch: EngineBatch, result: Evidence, engine: str) -> EngineReport:
    for name, problem in reading.broken_rules(result.files.get("o.json", b"{}")).items():
        mark = f'"id": "{name}"'.encode()
        files = [file for file, text in batch.rules.items() if mark in text]
        place = files[0] if files else "the rules"
        raise KitError(f"Rule {name} of {place} is broken: {problem}. Mend it, or take it out.")
    findings = reading.read_sarif_log(_read_output_file(result, "o.sarif", 0), engine)
    return _build_report(
        batch, findings, *reading.read_scanned_files(_read_output_file(result, "o.json", 0))
    )


def run_opengrep(batch: EngineBatch) -> EngineReport:
    """Patterns and taint, followed from function to function within a file."""
    line = ["/opt/osemgrep", *GREP, "--experimental", "--taint-intrafile", "src"]
    return _parse_grep_result(batch, batch.run(line, engine_folder("opengrep")), "opengrep")


def run_semgrep(batch: EngineBatch) -> EngineReport:
    """Patterns and taint within a function."""
    start = 'import sys; sys.path.insert(0, "/opt"); sys.argv[0] = "semgrep"\n'
    start += "from semgrep.console_scripts.pysemgrep import main; main()"
    line = [PYTHON, "-I", "-c", start, *GREP]
    line += ["--metrics=off", "--disable-version-check", "src"]
    result = batch.run(
        line,
        engine_folder("semgrep"),
        PYTHONPATH="/opt",
        PATH="/opt/bin:/usr/bin:/bin",
        SSL_CERT_FILE="/opt/certifi/cacert.pem",  # it does not start without one
        SEMGREP_SEND_METRICS="off",
    )
    return _parse_grep_result(batch, result, "semgrep")


def run_bandit(batch: EngineBatch) -> EngineReport:
    """Bandit's own rules; it has no taint. Its notes of low severity and confidence count too.

    -x names a path that cannot exist, in place of the folders that are left out by default.
    """
    line = [PYTHON, "-m", "bandit", "-r", "src", "-f", "json", "-o", "o.json", "-q"]
    result = batch.run(
        [*line, "--ignore-nosec", "-x", "//none//"], engine_folder("bandit"), PYTHONPATH="/opt"
    )
    return _build_report(
        batch, *reading.read_bandit_report(_read_output_file(result, "o.json", 0, 1))
    )


def gcc_fanalyzer(batch: EngineBatch) -> EngineReport:
    """gcc's paths through one translation unit, and its warnings that need the optimiser."""
    result = batch.run(["/bin/sh", "-c", GCC, "sh", *batch.files])
    findings: list[Finding] = []
    unread: dict[str, str] = {}
    for path in batch.files:
        report = result.files.get(f"out/{path}.json", b"")
        try:
            here = reading.read_gcc_report(report, batch.files[path])
            if report.count(b"\n[") + report.startswith(b"[") != PASSES:
                raise reading.Unreadable("gcc did not come to its end with it.")
            findings += here
        except reading.Unreadable as error:
            unread[path] = str(error)
    return EngineReport([reading.rename_paths(f, _below_src) for f in findings], unread)


def run_codeql(batch: EngineBatch) -> EngineReport:
    """The bundle's extended security suite; a file counts as read if CodeQL extracted it."""
    name = "cpp" if batch.language == "c" else batch.language
    home = Path(shutil.which("codeql") or "").resolve().parent
    result = batch.run(["/bin/sh", "-c", CODEQL % (name, name, name)], home)
    report = _read_output_file(result, "o.sarif", 0)
    return _build_report(
        batch, reading.read_sarif_log(report, "codeql"), reading.read_extracted_files(report), {}
    )


def members(language: str = "") -> list[str]:
    """The installed engines that are joined, of a language or of all.

    semgrep and opengrep read the same rules, so semgrep is left out if opengrep is installed.
    """
    able = [n for n, e in ENGINES.items() if not language or language in e.languages]
    names = [n for n in able if n != JOINED and version(n)]
    return [n for n in names if n != "semgrep" or "opengrep" not in names]


@once
def read_precision_rows() -> list[dict[str, Any]]:
    """How many reports of each engine, language and reported CWE were right, and how many not."""
    rows: list[dict[str, Any]] = json.loads(PRECISION.read_text())["rows"]
    return rows


def decides(
    engine: str, language: str, cwe: str, rows: Sequence[Mapping[str, Any]] | None = None
) -> bool:
    """Whether the engine's report of a CWE is a verdict; if not, it is a witness.

    The measured precision decides: (right + 2 p) / (reports + 2) >= 0.9, where `right` counts its
    reports of the CWE on insecure programs, and p is the engine's precision in the language. A
    witness counts if another engine reports the same weakness, or a kind of it, in the file. An
    engine that was not measured is believed. rows: as of `read_precision_rows`, which is the
    default.
    """
    every = read_precision_rows() if rows is None else rows
    of_engine = [r for r in every if (r["engine"], r["language"]) == (engine, language)]
    if not of_engine:
        return True
    average = _sum_column(of_engine, "right") / (
        _sum_column(of_engine, "right") + _sum_column(of_engine, "wrong")
    )
    of_cwe = [row for row in of_engine if row["cwe"] == cwe]
    right = _sum_column(of_cwe, "right")
    reports = right + _sum_column(of_cwe, "wrong")
    return (right + PRIOR * average) / (reports + PRIOR) >= LEAST


def _sum_column(rows: Sequence[Mapping[str, Any]], column: str) -> int:
    return sum(int(row[column]) for row in rows)


def run_joined_engines(batch: EngineBatch) -> EngineReport:
    """The reports of all installed engines that count: see `decides`.

    A file that one of them did not read is unread.
    """
    report = EngineReport([], {})
    for name in members(batch.language):
        single = ENGINES[name].start(batch)
        unread = {path: f"{name}: {reason}" for path, reason in single.unread.items()}
        report = report.merged_with(EngineReport(single.findings, unread))
    reported: dict[str, set[tuple[str, str]]] = {}
    for finding in report.findings:
        reported.setdefault(finding.file, set()).add((finding.engine, finding.cwe))
    confirmed = []
    for finding in report.findings:
        others = {cwe for engine, cwe in reported[finding.file] if engine != finding.engine}
        is_seen_twice = any(
            reading.is_same_weakness(cwe, finding.cwe) or reading.is_same_weakness(finding.cwe, cwe)
            for cwe in others
        )
        if is_seen_twice or decides(finding.engine, batch.language, finding.cwe):
            confirmed.append(finding)
    return EngineReport(confirmed, report.unread)


@dataclass(frozen=True)
class Engine:
    """How an engine is started, and its languages. own: it has its own rules and not ours."""

    start: Callable[[EngineBatch], EngineReport]
    languages: tuple[str, ...]
    own: bool = False


ENGINES = {  # the best first
    JOINED: Engine(run_joined_engines, ("python", "c")),
    "codeql": Engine(run_codeql, ("python", "c", "java"), own=True),
    "opengrep": Engine(run_opengrep, ("python", "c", "java")),
    "semgrep": Engine(run_semgrep, ("python", "c", "java")),
    "bandit": Engine(run_bandit, ("python",), own=True),
    "gcc-fanalyzer": Engine(gcc_fanalyzer, ("c",), own=True),
}
