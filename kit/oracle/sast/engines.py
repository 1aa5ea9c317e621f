"""The engines: one start of each, in the sandbox, over all files; what it found, what it did not
read. A start that did not end well is Failed; a file that an engine is silent about is unread."""

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from kit.oracle.sast import installation, reading
from kit.records import Evidence, Finding, Status
from kit.sandbox import Limits, Sandbox

LIMITS = Limits(
    wall_s=300, cpu_s=600, memory_mb=3000, processes=128, file_mb=128, disk_mb=512,
    output_kb=4096, artefact_mb=64,
)  # fmt: skip
RULE_S = 20  # that one rule may take with one file
FILE_S = 30  # that gcc may take with one file
Report = tuple[list[Finding], dict[str, str]]  # findings, file -> why it was not read


@dataclass(frozen=True)
class Batch:
    """What an engine is started on: `files` lie in src/, `rules` in rules/."""

    box: Sandbox
    files: Mapping[str, bytes]
    language: str
    rules: Mapping[str, bytes]

    def run(self, argv: list[str], engine: Path | None = None, **env: str) -> Evidence:
        """The command in a box of its own; Failed where it did not run to its end."""
        placed = {f"src/{path}": content for path, content in self.files.items()}
        placed |= {f"rules/{path}": content for path, content in self.rules.items()}
        seen = self.box.run(
            argv,
            files=placed,
            env={"HOME": "/tmp", **env},
            limits=LIMITS,
            observe=False,
            mounts={"/opt": engine} if engine else {},
        )
        if seen.status is not Status.COMPLETED:
            raise Failed(seen.status, seen.note or f"the engine ended with {seen.status}")
        return seen


class Failed(Exception):
    """A start whose report, if any, says nothing about the files."""

    def __init__(self, status: Status, note: str) -> None:
        super().__init__(note)
        self.status, self.note = status, note


def _wrote(seen: Evidence, name: str, *codes: int) -> bytes:
    """A file that the engine wrote; Failed where its exit code is another, or there is none."""
    if seen.exit_code not in codes or name not in seen.files:
        said = " ".join((seen.err.strip() or seen.out.strip()).split())[-300:]
        raise Failed(Status.CRASHED, f"exit code {seen.exit_code}, no report: {said}")
    return seen.files[name]


def _silent(batch: Batch, looked_at: set[str], bad: Mapping[str, str]) -> dict[str, str]:
    """File -> why it is unread: the engine's own reason, or that the engine never named it."""
    if "*" in bad:
        raise Failed(Status.HARNESS_ERROR, bad["*"])
    out = {
        path: "The engine passed over the file." for path in batch.files if path not in looked_at
    }
    return out | {p: f"The engine could not read all of it: {why}." for p, why in bad.items()}


def _below_src(finding: Finding) -> Finding:
    steps = tuple(s.removeprefix("/box/").removeprefix("src/") for s in finding.flow)
    file = finding.file.removeprefix("/box/").removeprefix("src/")
    return replace(finding, file=file, flow=steps)


GREP = ["scan", "--config", "rules", "--sarif-output=o.sarif", "--json-output=o.json", "-q"]
GREP += ["--dataflow-traces", "--disable-nosem", "--no-git-ignore", "--no-rewrite-rule-ids"]
GREP += ["--x-ignore-semgrepignore-files", "--max-target-bytes=0", "-j", "2"]
GREP += [f"--timeout={RULE_S}", "--timeout-threshold=1"]


def _grep(batch: Batch, seen: Evidence, engine: str) -> Report:
    found = reading.sarif(_wrote(seen, "o.sarif", 0), engine)
    looked_at, bad = reading.scanned(_wrote(seen, "o.json", 0))
    named = {path.removeprefix("src/") for path in looked_at}
    bad = {path.removeprefix("src/"): why for path, why in bad.items()}
    return [_below_src(f) for f in found], _silent(batch, named, bad)


def opengrep(batch: Batch) -> Report:
    """Patterns and taint, followed from function to function within a file."""
    line = ["/opt/osemgrep", *GREP, "--experimental", "--taint-intrafile", "src"]
    return _grep(batch, batch.run(line, installation.folder("opengrep")), "opengrep")


def semgrep(batch: Batch) -> Report:
    """Patterns and taint within a function."""
    start = 'import sys; sys.path.insert(0, "/opt"); sys.argv[0] = "semgrep"\n'
    start += "from semgrep.console_scripts.pysemgrep import main; main()"
    line = [installation.PYTHON, "-I", "-c", start, *GREP]
    line += ["--metrics=off", "--disable-version-check", "src"]
    seen = batch.run(
        line,
        installation.folder("semgrep"),
        PYTHONPATH="/opt",
        PATH="/opt/bin:/usr/bin:/bin",
        SSL_CERT_FILE="/opt/certifi/cacert.pem",  # it does not start without one
        SEMGREP_SEND_METRICS="off",
    )
    return _grep(batch, seen, "semgrep")


def bandit(batch: Batch) -> Report:
    """Bandit's own rules; it has no taint. Its notes of low severity and confidence count too.

    -x names no path that there can be: it takes the place of folders left out by default.
    """
    line = [installation.PYTHON, "-m", "bandit", "-r", "src", "-f", "json", "-o", "o.json", "-q"]
    seen = batch.run(
        [*line, "--ignore-nosec", "-x", "//none//"],
        installation.folder("bandit"),
        PYTHONPATH="/opt",
    )
    found, looked_at, bad = reading.bandit(_wrote(seen, "o.json", 0, 1))
    named = {path.removeprefix("src/") for path in looked_at}
    bad = {path.removeprefix("src/"): why for path, why in bad.items()}
    return [_below_src(f) for f in found], _silent(batch, named, bad)


PASSES = 2
GCC = f"""mkdir out; for f do mkdir -p "out/$(dirname "$f")"; for pass in "-fanalyzer" "-O2"; do
timeout {FILE_S} gcc $pass -Wall -Wextra -Wformat=2 -Wnull-dereference -S -o /dev/null \\
  -fdiagnostics-format=json "src/$f" 2>>"out/$f.json" || echo "[[$?]]" >>"out/$f.json"
echo >>"out/$f.json"; done; done"""


def gcc_fanalyzer(batch: Batch) -> Report:
    """gcc's paths through one translation unit, and its warnings that need the optimiser."""
    seen = batch.run(["/bin/sh", "-c", GCC, "sh", *batch.files])
    found: list[Finding] = []
    unread: dict[str, str] = {}
    for path in batch.files:
        report = seen.files.get(f"out/{path}.json", b"")
        try:
            here = reading.gcc(report)
            if report.count(b"\n[") + report.startswith(b"[") != PASSES:
                raise reading.Unreadable("gcc did not come to its end with it.")
            found += here
        except reading.Unreadable as error:
            unread[path] = str(error)
    return [_below_src(f) for f in found], unread


CODEQL = """/opt/codeql database create db --language=%s --source-root=src --build-mode=none -j2 \\
&& /opt/codeql database analyze db --format=sarif-latest --output=o.sarif -j2 \\
  codeql/%s-queries:codeql-suites/%s-security-extended.qls"""


def codeql(batch: Batch) -> Report:
    """The bundle's extended security suite; a file counts as read if CodeQL extracted it."""
    name = "cpp" if batch.language == "c" else batch.language
    home = Path(shutil.which("codeql") or "").resolve().parent
    seen = batch.run(["/bin/sh", "-c", CODEQL % (name, name, name)], home)
    report = _wrote(seen, "o.sarif", 0)
    named = {path.removeprefix("/box/").removeprefix("src/") for path in reading.extracted(report)}
    return [_below_src(f) for f in reading.sarif(report, "codeql")], _silent(batch, named, {})


@dataclass(frozen=True)
class Engine:
    """What can be started on which languages. own: it has rules of its own; ours are not used."""

    start: Callable[[Batch], Report]
    languages: tuple[str, ...]
    own: bool = False


ENGINES = {  # the best first
    "codeql": Engine(codeql, ("python", "c", "java"), own=True),
    "opengrep": Engine(opengrep, ("python", "c", "java")),
    "semgrep": Engine(semgrep, ("python", "c", "java")),
    "bandit": Engine(bandit, ("python",), own=True),
    "gcc-fanalyzer": Engine(gcc_fanalyzer, ("c",), own=True),
}
