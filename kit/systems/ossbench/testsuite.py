"""Runs the project's own test suite, or a fuzzer, in the sandbox with selected edits.

On the channel of a tested program, records of runtime.c begin with the nonce of the run, which no
edit knows; all else is unsigned: numbers of edits that ran, and the reports of sanitizers.
"""

import re
import secrets
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from threading import BoundedSemaphore
from types import MappingProxyType

from kit.core.errors import KitError
from kit.core.paths import read_files
from kit.core.records import Evidence, Status, content_key
from kit.oracle import sanitizers
from kit.oracle.sanitizers import Alert
from kit.run.pool import run_in_pool
from kit.sandbox import Limits
from kit.systems.ossbench import schemata
from kit.systems.ossbench.project import (
    MOUNT,
    SANITIZE,
    CProject,
    FuzzCorpus,
    ProjectProgram,
    TestRun,
    Unit,
)
from kit.systems.ossbench.toolchain import (
    CORES,
    CompiledUnit,
    Workshop,
    first_error,
    runtime_source,
)

PROGRAMS = "/opt"
REPORTED = 99  # a sanitizer ended the program
SANITIZERS = {
    "ASAN_OPTIONS": f"exitcode={REPORTED}:allocator_may_return_null=1:handle_abort=2:handle_segv=2"
    ":handle_sigbus=2:handle_sigfpe=2:handle_sigill=2",  # 2: a handler of the edit's own is refused
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=0",
}
BOXES = BoundedSemaphore(CORES)  # of tests that run at once, whatever asks for them
EXECUTED = re.compile(rb"^\d+$", re.MULTILINE)
LOST = Alert("a report that did not arrive", "undefined", ())

Readers = Mapping[str, tuple[str, ...]]
AttributedAlert = tuple[Alert, tuple[int, ...]]  # with the edits whose bodies its frames name


@dataclass(frozen=True)
class SuiteResult:
    """What one run of the suite, or of some of its test runs, showed.

    tests: test -> passed, of the runs that came to their own end. alerts: every report. executed:
    edits that ran. ended: test run -> why it ended badly. reached, seconds: test run -> the edits
    that it ran, and how long it took. fuzzed: fuzzed program -> inputs tried, and edges of its
    code that they reached where it counts them.
    """

    tests: Mapping[str, bool]
    alerts: tuple[AttributedAlert, ...] = ()
    executed: frozenset[int] = frozenset()
    ended: Mapping[str, str] = field(default_factory=dict)
    wall_s: float = 0.0
    note: str = ""
    fuzzed: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    reached: Mapping[str, frozenset[int]] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)

    def pass_rate(self, baseline: Iterable[str]) -> float:
        """Share of the baseline's passing tests that pass; one that did not report has failed."""
        wanted = list(baseline)
        if not wanted:
            return 0.0
        return sum(self.tests.get(test, False) for test in wanted) / len(wanted)


def join_results(results: Iterable[SuiteResult]) -> SuiteResult:
    """What all of these showed; of a test run that is in two, how the later one ended."""
    tests: dict[str, bool] = {}
    alerts: list[AttributedAlert] = []
    executed: set[int] = set()
    ended: dict[str, str] = {}
    reached: dict[str, frozenset[int]] = {}
    seconds: dict[str, float] = {}
    wall_s = 0.0
    for result in results:
        for name in result.seconds:
            ended.pop(name, None)
        tests |= result.tests
        alerts += result.alerts
        executed |= result.executed
        ended |= result.ended
        reached |= result.reached
        seconds |= result.seconds
        wall_s += result.wall_s
    return SuiteResult(
        tests,
        tuple(alerts),
        frozenset(executed),
        ended,
        wall_s,
        reached=reached,
        seconds=seconds,
    )


def build_programs(
    shop: Workshop,
    texts: Mapping[str, str],
    readers: Readers,
    *,
    last: int = 0,
    fuzzed: FuzzCorpus | None = None,
    marked: bool = False,
) -> tuple[dict[str, Path], str]:
    """(program -> file, what failed first): the tested programs with these texts in the tree.

    fuzzed: its program instead, out of the objects that the tests are linked of too. marked: the
    texts are the original's, in which every function says when it runs first.
    """
    runtime = runtime_source(shop.secret, last, marked=marked)
    switches = shop.compile_text(schemata.SWITCHES, runtime)
    units = {unit.source: unit for unit in shop.project.units}
    programs = shop.project.test_programs()
    if fuzzed:
        units |= {unit.source: unit for unit in fuzzed.units}
        programs = (fuzzed.program,)

    def link_program(program: ProjectProgram) -> tuple[Path | None, str]:
        parts = {schemata.SWITCHES: switches}
        for source in program.sources:
            if not objects[source].ok:
                return None, objects[source].log
            parts[source] = objects[source].object
        return shop.link(program, parts)

    sources = dict.fromkeys(chain.from_iterable(program.sources for program in programs))
    objects = compile_sources(shop, [units[source] for source in sources], texts, readers)
    links = dict(run_in_pool(link_program, programs, workers=CORES, title="link"))
    files: dict[str, Path] = {}
    note = ""
    for program in programs:
        path, log = links[program]
        if path is not None:
            files[program.name] = path
        elif not note:
            note = first_error(log)
    return files, note


def compile_sources(
    shop: Workshop, units: Iterable[Unit], texts: Mapping[str, str], readers: Readers
) -> dict[str, CompiledUnit]:
    """The objects by their sources, each with those of the texts that it reads."""

    def compile_unit(unit: Unit) -> CompiledUnit:
        overlays = {p: t for p, t in texts.items() if unit.source in (p, *readers.get(p, ()))}
        return shop.compile(unit, overlays)

    compiled = run_in_pool(compile_unit, units, workers=CORES, title="compile")
    return {unit.source: result for unit, result in compiled}


def runtime_identity() -> str:
    """The content key of runtime.c and the sanitizers; where it changes, iterations run again."""
    return content_key(runtime_source("", 0), SANITIZE, SANITIZERS)


def detectable_faults(project: CProject) -> dict[str, str]:
    """Which kinds of fault a run of this project's tests can show, and which it cannot."""
    first = "yes, until the first report by ASan ends a program"
    leaks = "yes" if project.leaks else "no: its test programs do not free all at their end"
    return {"address": first, "undefined": first, "leak": leaks}


def build_environment(edits: Iterable[int], *, leaks: bool) -> dict[str, str]:
    """What puts these edits in force, and the sanitizers' options. leaks: are they looked for?"""
    options = f"{SANITIZERS['ASAN_OPTIONS']}:detect_leaks={int(leaks)}"
    switches = "".join(f"{n}," for n in sorted(edits))
    return SANITIZERS | {"ASAN_OPTIONS": options, "KIT_EDITS": switches}


class ProjectTests:
    """The test runs of a project over one set of programs."""

    def __init__(self, shop: Workshop, programs: Mapping[str, Path], note: str = "") -> None:
        self.shop, self.project = shop, shop.project
        self.programs, self.note = dict(programs), note

    def run(
        self,
        edits: Iterable[int] = (),
        only: Collection[str] | None = None,
        *,
        tests: Mapping[str, Sequence[str]] = MappingProxyType({}),
        workers: int = CORES,
    ) -> SuiteResult:
        """Each test run once, in a fresh box; tests of a program not built have failed.

        only: the names of the runs, in the order in which they begin; by default all are run.
        tests: run -> the tests to which it is narrowed.
        workers: of this suite; those of all suites together run as many boxes as there are cores.
        """
        env = self.environment(edits)
        runs = {run.name: run for run in self.project.runs}
        for name, chosen in tests.items():
            runs[name] = self.project.narrow(runs[name], chosen)
        names = list(runs if only is None else only)

        def run_one(name: str) -> SuiteResult:
            return self._run_one(runs[name], env)

        results = dict(run_in_pool(run_one, names, workers=workers, title="tests"))
        return replace(join_results(results[name] for name in names), note=self.note)

    def environment(self, edits: Iterable[int] = ()) -> dict[str, str]:
        """The variables of a run with these edits in force."""
        leaks = self.project.leaks and self.shop.box.limits.ptrace  # which lets a tracer in
        return build_environment(edits, leaks=leaks) | dict(self.project.environment)

    def run_original(self) -> SuiteResult:
        """Each test run; one that ended badly once more, alone, where no load is the cause."""
        first = self.run()
        again = self.run(only=first.ended, workers=1)
        return replace(join_results([first, again]), note=self.note)

    def _run_one(self, run: TestRun, env: Mapping[str, str]) -> SuiteResult:
        if run.program not in self.programs:
            return SuiteResult({}, ended={run.name: f"not built: {self.note}"})
        evidence, nonce = self.observe(run, env)
        output = channel_records(evidence.channel, nonce)
        reason = bad_ending(evidence, output)
        tests: dict[str, bool] = {}
        if not reason and run.whole:
            tests[f"{run.name}/exit code"] = evidence.exit_code == 0
        elif not reason:
            tests = self.project.parse(run.name, output.printed.decode("utf-8", "replace"))
        return SuiteResult(
            tests,
            tuple(alerts_in(evidence, output)),
            output.executed,
            {run.name: reason} if reason else {},
            evidence.wall_s,
            reached={run.name: output.executed},
            seconds={run.name: evidence.wall_s},
        )

    def observe(
        self, run: TestRun, env: Mapping[str, str], *, channel_kb: int = 16384
    ) -> tuple[Evidence, str]:
        """What one start of the run left, and the nonce of its records on the channel."""
        nonce = secrets.token_hex(16)
        with BOXES:
            return self._start(run, {**env, "KIT_NONCE": nonce}, channel_kb), nonce

    def _start(self, run: TestRun, env: Mapping[str, str], channel_kb: int) -> Evidence:
        project = self.project
        limits = Limits(
            wall_s=run.wall_s,
            cpu_s=run.wall_s,
            memory_mb=project.memory_mb,
            file_mb=64,
            disk_mb=project.disk_mb,
            output_kb=4096,
            channel_kb=channel_kb,
            artefacts=0,
            processes=64,
        )
        program = self.programs[run.program]
        for _ in range(2):
            evidence = self.shop.box.run(
                [f"{PROGRAMS}/{program.name}", *run.argv],
                files=self._read_fixtures(run),
                env=env,
                limits=limits,
                observe=False,
                mounts={MOUNT: project.tree, PROGRAMS: program.parent},
            )
            if evidence.status != Status.INFRA_ERROR:
                return evidence
        raise KitError(f"The sandbox failed at the tests of {run.name}: {evidence.note}")

    def _read_fixtures(self, run: TestRun) -> dict[str, bytes]:
        files: dict[str, bytes] = {}
        for place, source in run.files.items():
            top = self.project.tree / source
            if top.is_file():
                files[place] = top.read_bytes()
            else:
                for name, data in read_files(top).items():
                    files[f"{place}/{name}"] = data
        return files


@dataclass(frozen=True)
class ChannelRecords:
    """printed: stdout while no edit was live. log: the rest, where the sanitizers' reports are.

    ended: did the runner come to its own end? left: number of the edit that ended the program, if
    one did. undefined: reports of UBSan that the program counted. reached: the functions that an
    edit called and that take reports away or begin a thread.
    """

    printed: bytes
    log: bytes
    ended: bool = False
    left: int | None = None
    undefined: int = 0
    reached: tuple[str, ...] = ()

    @property
    def executed(self) -> frozenset[int]:
        return frozenset(int(number[0]) for number in EXECUTED.finditer(self.log))


def split_channel(channel: bytes, nonce: str) -> Iterator[tuple[str, bytes]]:
    """(kind, data) of each record with this nonce, by its length; "" is what stands around them."""
    at = 0
    record = re.compile(rb"\n%s (\w+) (\d{1,5})\n" % re.escape(nonce.encode()))
    while head := record.search(channel, at):
        end = head.end() + int(head[2])
        yield "", channel[at : head.start()]
        yield head[1].decode(), channel[head.end() : end]
        at = end
    yield "", channel[at:]


def channel_records(channel: bytes, nonce: str) -> ChannelRecords:
    """The records with this nonce, and what stands around them."""
    records: defaultdict[str, list[bytes]] = defaultdict(list)
    for kind, data in split_channel(channel, nonce):
        records[kind].append(data)
    ends, exits = records["end"], records["exit"]
    reached = {name.decode("ascii", "replace") for name in records["reach"]}
    return ChannelRecords(
        b"".join(records["out"]),
        b"".join(records[""]),
        ended=bool(ends),
        left=int(exits[0]) if exits else None,
        undefined=int(ends[0]) if ends else 0,
        reached=tuple(sorted(reached)),
    )


def alerts_in(evidence: Evidence, output: ChannelRecords) -> list[AttributedAlert]:
    """The alerts of one run; a report that was made and has not arrived is one of its own."""
    alerts = [attribute_alert(alert) for alert in sanitizers.parse_alerts(output.log)]
    lines = sanitizers.split_lines(output.log)
    undefined = sum(sanitizers.RUNTIME.match(line) is not None for line in lines)
    ended_by_report = evidence.exit_code == REPORTED
    if output.undefined > undefined or (ended_by_report and len(alerts) == undefined):
        alerts.append((LOST, ()))
    return alerts


def bad_ending(evidence: Evidence, output: ChannelRecords) -> str:
    """Why a run of the tests did not end well, or ""."""
    reasons = [f"an edit reached for {name}" for name in output.reached]
    if evidence.status != Status.COMPLETED:
        reasons.insert(0, f"{evidence.status}: {evidence.note}")
    elif output.left is not None:
        reasons.insert(0, f"edit {output.left} ended the program")
    elif evidence.exit_code == REPORTED and not output.ended:
        reasons.insert(0, "a sanitizer ended the program")
    elif not output.ended:
        reasons.insert(0, "the program ended before the end of its tests")
    return "; ".join(reasons)


def attribute_alert(alert: Alert) -> AttributedAlert:
    """The alert with the functions' own names in its frames, and the edits that these belong to.

    A function that hands over to its edited body is one frame, as in a build without switches.
    """
    frames: list[str] = []
    owners: set[int] = set()
    for frame in alert.frames:
        compiled, _, place = frame.partition(" ")
        name, edit = schemata.edited_name(compiled)
        own_name = f"{name} {place}".strip()
        if not frames or frames[-1] != own_name:
            frames.append(own_name)
        if edit is not None and len(frames) <= sanitizers.FRAMES:
            owners.add(edit)
    return replace(alert, frames=tuple(frames)), tuple(sorted(owners))
