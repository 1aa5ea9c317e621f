"""Inputs of fuzzers against the build with switches: what the tests never reach (section 3.4).

libFuzzer mutates seeds where a project has a target for it; a project that keeps what fuzzers found
before (SQLite's fuzzcheck) tries that. A process that dies goes on behind the input that killed it.
"""

import glob
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from kit.errors import KitError
from kit.oracle import sanitizers
from kit.oracle.sanitizers import Alert
from kit.records import Evidence, Status, content_key
from kit.sandbox import Limits
from kit.systems.ossbench import schemata, testsuite
from kit.systems.ossbench.check import first_error
from kit.systems.ossbench.project import MOUNT, SANITIZE, CProject, FuzzCorpus, FuzzTarget
from kit.systems.ossbench.testsuite import Seen, owned
from kit.systems.ossbench.toolchain import WRAPS, Workshop, runtime

DEATHS = 10  # of the process, in one go over the inputs, before it is given up
SECONDS = 240  # of one process
LIMITS = Limits(wall_s=SECONDS + 60, cpu_s=SECONDS + 50, memory_mb=1500, file_mb=64, disk_mb=256,
                output_kb=8192, artefacts=0)  # fmt: skip
MOST = 4096  # bytes of a mutated input
COVERAGE = "fuzz_coverage.c"
GCC = ("gcc", *SANITIZE, "-fsanitize-coverage=trace-pc,trace-cmp", "-w")
LINK = ("-lstdc++", "-lm", "-Wl,--wrap=__sanitizer_cov_trace_pc", *WRAPS)
EXECUTED = re.compile(rb"^stat::number_of_executed_units:\s*(\d+)", re.MULTILINE)
KILLER = re.compile(rb"Test unit written to \S*-([0-9a-f]{40})$", re.MULTILINE)
Readers = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Fuzzer:
    """The fuzzed program of a project, built with one set of texts; without it, why."""

    shop: Workshop
    program: Path | None
    note: str = ""

    @classmethod
    def build(
        cls, shop: Workshop, texts: Mapping[str, str], readers: Readers, *, last: int
    ) -> "Fuzzer":
        """Edits that do not build leave a note; that the original does not is an error."""
        target, switches = shop.project.fuzz, runtime(shop.secret, last)
        if target is None:
            raise KitError(f"{shop.project.name} has nothing to fuzz here; fuzz cjson or sqlite.")
        if isinstance(target, FuzzTarget):
            path, log = _generating(shop, target, texts, switches)
        else:
            path, log = _replaying(shop, target, texts, readers, switches)
        if path is None and not texts:
            raise KitError(f"What is fuzzed does not build: {first_error(log)}")
        return cls(shop, path, "" if path else first_error(log))

    def run(self, edits: Iterable[int], *, inputs: int) -> Seen:
        """`inputs` inputs with these edits in force; alerts, and how many inputs were tried."""
        if self.program is None:
            return Seen({}, ended={"fuzz": f"not built: {self.note}"}, note=self.note)
        options = f"{testsuite.SANITIZERS['ASAN_OPTIONS']}:detect_leaks=0"
        env = {**testsuite.SANITIZERS, "ASAN_OPTIONS": options}
        env["KIT_EDITS"] = "".join(f"{n}," for n in sorted(edits))
        target = self.shop.project.fuzz
        if isinstance(target, FuzzTarget):
            runs = _generated(self, target, env, inputs)
        else:
            assert target is not None  # as `build` saw
            runs = _replayed(self, target, env, inputs)
        alerts: list[tuple[Alert, tuple[int, ...]]] = []
        executed: set[int] = set()
        wall, tried, starts = 0.0, 0, 0
        for evidence, count in runs:
            alerts += [owned(a) for a in sanitizers.parse(evidence.channel)]
            executed |= {int(n) for n in testsuite.EXECUTED.findall(evidence.channel)}
            wall += evidence.wall_s
            tried += count
            starts += 1
        died = starts - 1 + _died(evidence)
        short = died or tried < inputs
        ended = {"fuzz": f"tried {tried} of {inputs} inputs, died {died} times"} if short else {}
        return Seen({}, tuple(alerts), frozenset(executed), ended, wall)

    def start(
        self, words: Iterable[str], env: Mapping[str, str], files: Mapping[str, bytes]
    ) -> Evidence:
        """The program once, in a fresh box."""
        assert self.program is not None  # `run` says why there is none
        mounts = {MOUNT: self.shop.project.tree, testsuite.PROGRAMS: self.program.parent}
        evidence = self.shop.box.run(
            [f"{testsuite.PROGRAMS}/{self.program.name}", *words],
            files=files, env=env, limits=LIMITS, observe=False, mounts=mounts,
        )  # fmt: skip
        if evidence.status == Status.INFRA_ERROR:
            raise KitError(f"The sandbox failed at fuzzing: {evidence.note}")
        return evidence


def _died(evidence: Evidence) -> bool:
    return evidence.status != Status.COMPLETED or evidence.exit_code != 0


def _generating(
    shop: Workshop, target: FuzzTarget, texts: Mapping[str, str], switches: str
) -> tuple[Path | None, str]:
    """The target, its sources and libFuzzer in one program, by the compiler of the tests."""
    code = Path(__file__).with_name(COVERAGE).read_bytes()
    files = {"target.c": target.harness.encode(), COVERAGE: code,
             "kit.o": shop.compile_text(schemata.SWITCHES, switches)}  # fmt: skip
    sources = [f"{MOUNT}/{s}" for s in target.sources]
    parts = [*sorted(files), *sources, libfuzzer(), *target.libraries, *LINK]
    return shop.make([*GCC, *target.flags, *parts, "-o", "program"], files=files, overlays=texts)


def libfuzzer() -> str:
    """Debian's library of libFuzzer, the newest."""
    found = sorted(glob.glob(sanitizers.LIBFUZZER))  # noqa: PTH207 - an absolute pattern
    if not found:
        raise KitError("No libFuzzer is here to fuzz with. Type: apt-get install libclang-rt-dev")
    return found[-1]


def _generated(
    fuzzer: Fuzzer, target: FuzzTarget, env: Mapping[str, str], inputs: int
) -> Iterator[tuple[Evidence, int]]:
    """libFuzzer, started anew without the seed and with another number after each death."""
    tree = fuzzer.shop.project.tree
    whole = sorted({s for s in target.seeds(tree) if len(s) <= MOST})
    seeds = {hashlib.sha1(s, usedforsecurity=False).hexdigest(): s for s in whole}
    left = inputs
    for death in range(DEATHS + 1):
        words = ["/box/seeds", f"-seed={death + 1}", f"-runs={left}", f"-max_len={MOST}",
                 f"-max_total_time={SECONDS}", "-timeout=10", "-rss_limit_mb=1200", "-verbosity=0",
                 "-detect_leaks=0", "-reload=0", "-print_final_stats=1",
                 "-artifact_prefix=/box/"]  # fmt: skip
        words += [f"-dict={MOUNT}/{target.dictionary}"] if target.dictionary else []
        files = {f"seeds/{name}": seed for name, seed in seeds.items()} or {"seeds/none": b""}
        evidence = fuzzer.start(words, env, files)
        found, killer = EXECUTED.search(evidence.stderr), KILLER.search(evidence.stderr)
        count = int(found[1]) if found else 0
        yield evidence, count
        left -= count
        if not _died(evidence) or killer is None or left <= 0:
            return
        seeds.pop(killer[1].decode(), None)


def _replaying(
    shop: Workshop, corpus: FuzzCorpus, texts: Mapping[str, str], readers: Readers, switches: str
) -> tuple[Path | None, str]:
    """The project's program out of the objects that its tests are linked of too."""
    units = {u.source: u for u in (*shop.project.units, *corpus.units)}
    parts = {schemata.SWITCHES: shop.compile_text(schemata.SWITCHES, switches)}
    for source in corpus.program.sources:
        mine = {p: t for p, t in texts.items() if source in (p, *readers.get(p, ()))}
        done = shop.compile(units[source], mine)
        if not done.ok:
            return None, done.log
        parts[source] = done.object
    return shop.link(corpus.program, parts)


def _replayed(
    fuzzer: Fuzzer, corpus: FuzzCorpus, env: Mapping[str, str], inputs: int
) -> Iterator[tuple[Evidence, int]]:
    """The recorded inputs in their order; after a death those behind the last one tried.

    An input that takes too long ends the process as well; such ends are not counted as deaths.
    """
    skip, deaths = 0, 0
    files = corpus.inputs(fuzzer.shop.project.tree, inputs)
    while deaths <= DEATHS:
        evidence = fuzzer.start(corpus.argv(sorted(files), skip), env, files)
        reached = len(re.findall(corpus.trying.encode(), evidence.stdout, re.MULTILINE))
        yield evidence, reached - skip
        if not _died(evidence) or reached <= skip:
            return
        skip = reached
        deaths += not re.search(corpus.slow.encode(), evidence.stderr, re.MULTILINE)


def fuzz_mode(project: CProject, inputs: int) -> str:
    """How many inputs of what: part of the key of a fuzzed iteration."""
    target = project.fuzz
    if isinstance(target, FuzzTarget):
        return f"{inputs} inputs, libFuzzer {content_key(target.harness, target.flags)[:8]}"
    return f"{inputs} inputs, {target.program.name}" if target else f"{inputs} inputs"
