"""Fuzzes a project with selected edits, for what its tests never reach (section 3.4).

libFuzzer mutates seeds where a project has a target for it; a project that keeps inputs of its own
(SQLite's fuzzcheck), or makes them (PHP's fused tests), has these tried. A process that dies goes
on behind the input that killed it.
"""

import glob
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from kit.core.errors import KitError
from kit.core.records import Evidence, Status, content_key
from kit.oracle import sanitizers
from kit.sandbox import Limits
from kit.systems.ossbench import schemata
from kit.systems.ossbench.project import MOUNT, SANITIZE, CProject, FuzzCorpus, FuzzTarget
from kit.systems.ossbench.testsuite import (
    EXECUTED,
    PROGRAMS,
    AttributedAlert,
    Readers,
    SuiteResult,
    attribute_alert,
    build_environment,
    build_programs,
    compile_sources,
)
from kit.systems.ossbench.toolchain import WRAPS, Workshop, first_error, runtime_source

DEATHS = 10  # of the fuzzed process, in one go over the inputs, before it is given up
SECONDS = 240  # of one process
FUZZING = Limits(
    wall_s=SECONDS + 60,
    cpu_s=SECONDS + 50,
    memory_mb=1500,
    file_mb=64,
    disk_mb=256,
    output_kb=8192,
    artefacts=0,
)
MOST = 4096  # bytes of a mutated input
COVERAGE = "fuzz_coverage.c"
GCC = ("gcc", *SANITIZE, "-fsanitize-coverage=trace-pc,trace-cmp", "-w")
LINK = ("-lstdc++", "-lm", "-Wl,--wrap=__sanitizer_cov_trace_pc", *WRAPS)
EDGES = re.compile(rb"^#\d+\s+\w+\s+cov: (\d+)", re.MULTILINE)  # of what coverage follows
TRIED = re.compile(rb"^stat::number_of_executed_units:\s*(\d+)", re.MULTILINE)
KILLER = re.compile(rb"Test unit written to \S*-([0-9a-f]{40})$", re.MULTILINE)


@dataclass(frozen=True)
class FuzzedProgram:
    """What one target is built into with one set of texts; without it, why."""

    target: FuzzTarget | FuzzCorpus
    path: Path | None
    note: str


@dataclass(frozen=True)
class Fuzzer:
    """The fuzzed programs of a project."""

    shop: Workshop
    programs: tuple[FuzzedProgram, ...]

    @classmethod
    def build(
        cls, shop: Workshop, texts: Mapping[str, str], readers: Readers, *, last: int
    ) -> "Fuzzer":
        """Edits that do not build leave a note; that the original does not is an error."""
        if not shop.project.fuzz:
            raise KitError(
                f"{shop.project.name} has nothing to fuzz here; fuzz cjson, sqlite or php."
            )
        programs = []
        for target in shop.project.fuzz:
            if isinstance(target, FuzzTarget):
                path, note = _build_fuzz_target(shop, target, texts, readers, last)
            else:
                built, note = build_programs(shop, texts, readers, last=last, fuzzed=target)
                path = built.get(target.program.name)
            if path is None and not texts:
                raise KitError(f"What is fuzzed does not build: {note}")
            programs.append(FuzzedProgram(target, path, note))
        return cls(shop, tuple(programs))

    def run(self, edits: Iterable[int], *, inputs: int) -> SuiteResult:
        """`inputs` inputs with these edits in force, an equal share of them for each program.

        Alerts, how many inputs each program tried, and how many edges libFuzzer reached with them.
        """
        env = build_environment(edits, leaks=False) | dict(self.shop.project.environment)
        alerts: list[AttributedAlert] = []
        executed: set[int] = set()
        counts: dict[str, tuple[int, int]] = {}
        reasons = []
        wall_s = 0.0
        first_inputs = [n * inputs // len(self.programs) for n in range(len(self.programs) + 1)]
        for program, start, stop in zip(
            self.programs, first_inputs, first_inputs[1:], strict=False
        ):
            share = stop - start
            name = target_name(program.target)
            if program.path is None:
                reasons.append(f"not built: {program.note}")
                continue
            tried = edges = starts = 0
            for evidence, count in self._try_inputs(program, env, share):
                alerts += map(attribute_alert, sanitizers.parse_alerts(evidence.channel))
                executed.update(map(int, EXECUTED.findall(evidence.channel)))
                edges = max([edges, *map(int, EDGES.findall(evidence.stderr))])
                wall_s += evidence.wall_s
                tried += count
                starts += 1
            died = starts - 1  # every start but the first follows an early end
            if _is_abnormal_end(evidence):
                died += 1
            counts[name] = (tried, edges)
            if died or tried < share:
                of = f"{name}: " if len(self.programs) > 1 else ""
                reasons.append(f"{of}tried {tried} of {share} inputs, died {died} times")
        ended = {"fuzz": "; ".join(reasons)} if reasons else {}
        note = "; ".join(program.note for program in self.programs if program.note)
        return SuiteResult(
            {}, tuple(alerts), frozenset(executed), ended, wall_s, note, fuzzed=counts
        )

    def _try_inputs(
        self, program: FuzzedProgram, env: Mapping[str, str], inputs: int
    ) -> Iterator[tuple[Evidence, int]]:
        """Yield every start of the program, and how many inputs it tried."""
        if isinstance(program.target, FuzzTarget):
            return _run_libfuzzer(self, program, program.target, env, inputs)
        return _replay_corpus(self, program, program.target, env, inputs)

    def start(
        self,
        program: FuzzedProgram,
        words: Iterable[str],
        env: Mapping[str, str],
        files: Mapping[str, bytes],
    ) -> Evidence:
        """The program once, in a fresh box."""
        assert program.path is not None  # `run` says why there is none
        mounts = {MOUNT: self.shop.project.tree, PROGRAMS: program.path.parent}
        evidence = self.shop.box.run(
            [f"{PROGRAMS}/{program.path.name}", *words],
            files=files,
            env=env,
            limits=FUZZING,
            observe=False,
            mounts=mounts,
        )
        if evidence.status == Status.INFRA_ERROR:
            raise KitError(f"The sandbox failed at fuzzing: {evidence.note}")
        return evidence


def _is_abnormal_end(evidence: Evidence) -> bool:
    return evidence.status != Status.COMPLETED or evidence.exit_code != 0


def _build_fuzz_target(
    shop: Workshop, target: FuzzTarget, texts: Mapping[str, str], readers: Readers, last: int
) -> tuple[Path | None, str]:
    """The target, its sources and libFuzzer in one program, by the compiler of the tests."""
    code = Path(__file__).with_name(COVERAGE).read_bytes()
    switches = runtime_source(shop.secret, last)
    files = {
        "target.c": target.harness.encode(),
        COVERAGE: code,
        "kit.o": shop.compile_text(schemata.SWITCHES, switches),
    }
    units = [shop.project.unit(source) for source in target.linked]
    for number, compiled in enumerate(compile_sources(shop, units, texts, readers).values()):
        if not compiled.ok:
            return None, first_error(compiled.log)
        files[f"linked-{number}.o"] = compiled.object
    sources = [f"{MOUNT}/{source}" for source in target.sources]
    fuzzers = sorted(glob.glob(sanitizers.LIBFUZZER))  # noqa: PTH207 - an absolute pattern
    if not fuzzers:
        raise KitError("No libFuzzer is here to fuzz with. Type: apt-get install libclang-rt-dev")
    newest = fuzzers[-1]
    parts = [*sorted(files), *sources, newest, *target.libraries, *LINK]
    line = [*GCC, *target.flags, *parts, "-o", "program"]
    path, log = shop.make_program(line, files=files, overlays=texts)
    return path, "" if path else first_error(log)


def _run_libfuzzer(
    fuzzer: Fuzzer,
    program: FuzzedProgram,
    target: FuzzTarget,
    env: Mapping[str, str],
    inputs: int,
) -> Iterator[tuple[Evidence, int]]:
    """libFuzzer, started anew without the seed and with another number after each death."""
    untried = inputs
    seeds: dict[str, bytes] = {}
    for seed in sorted(set(target.seeds(fuzzer.shop.project.tree))):
        if len(seed) <= MOST:
            seeds[hashlib.sha1(seed, usedforsecurity=False).hexdigest()] = seed
    for death in range(DEATHS + 1):
        files = {f"seeds/{name}": seed for name, seed in seeds.items()}
        if not files:
            files["seeds/none"] = b""
        words = [
            "/box/seeds",
            f"-seed={death + 1}",
            f"-runs={untried}",
            f"-max_len={MOST}",
            f"-max_total_time={SECONDS}",
            "-timeout=10",
            "-rss_limit_mb=1200",
            "-detect_leaks=0",
            "-reload=0",
            "-print_final_stats=1",
            "-artifact_prefix=/box/",
        ]
        if target.dictionary:
            words.append(f"-dict={MOUNT}/{target.dictionary}")

        evidence = fuzzer.start(program, words, env, files)
        tries = TRIED.search(evidence.stderr)
        count = int(tries[1]) if tries else 0
        yield evidence, count
        untried -= count
        killer = KILLER.search(evidence.stderr)
        if not _is_abnormal_end(evidence) or killer is None or untried <= 0:
            return
        seeds.pop(killer[1].decode(), None)


def _replay_corpus(
    fuzzer: Fuzzer,
    program: FuzzedProgram,
    corpus: FuzzCorpus,
    env: Mapping[str, str],
    inputs: int,
) -> Iterator[tuple[Evidence, int]]:
    """The recorded inputs in their order; after a death those behind the last one tried.

    An input that takes too long ends the process as well; such ends are not counted as deaths.
    """
    skip = deaths = 0
    files = corpus.inputs(fuzzer.shop.project.tree, inputs)
    while deaths <= DEATHS:
        evidence = fuzzer.start(program, corpus.argv(sorted(files), skip), env, files)
        reached = len(re.findall(corpus.trying.encode(), evidence.stdout, re.MULTILINE))
        yield evidence, reached - skip
        if not _is_abnormal_end(evidence) or reached <= skip:
            return
        skip = reached
        if not re.search(corpus.slow.encode(), evidence.stderr, re.MULTILINE):
            deaths += 1


def target_name(target: FuzzTarget | FuzzCorpus) -> str:
    """What a target is called where a project has several."""
    if isinstance(target, FuzzTarget):
        return target.name
    return target.program.name


def fuzz_mode(project: CProject, inputs: int) -> str:
    """How many inputs of what: part of the key of a fuzzed iteration."""
    words = [f"{inputs} inputs"]
    for target in project.fuzz:
        if isinstance(target, FuzzTarget):
            words.append(f"libFuzzer {content_key(target.harness, target.flags)[:8]}")
        else:
            words.append(target.program.name)
    return ", ".join(words)
