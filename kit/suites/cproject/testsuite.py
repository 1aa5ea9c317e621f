"""The project's own test suite in the sandbox, with chosen edits in force."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from kit.errors import KitError
from kit.oracle import sanitizers
from kit.oracle.sanitizers import Alert
from kit.pool import pool
from kit.records import Evidence, Status
from kit.sandbox import Limits
from kit.suites.cproject import schemata
from kit.suites.cproject.check import first_error
from kit.suites.cproject.project import MOUNT, Program, TestRun
from kit.suites.cproject.toolchain import CORES, Compiled, Workshop

PROGRAMS = "/opt"
SANITIZERS = {
    "ASAN_OPTIONS": "exitcode=99:allocator_may_return_null=1:handle_abort=1",
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=0",
}


@dataclass(frozen=True)
class Seen:
    """What one run of the whole suite showed.

    tests: test -> passed, those that reported. alerts: every report, each with the edits whose
    bodies its frames name. executed: edits that ran. ended: test run -> why it ended badly.
    """

    tests: Mapping[str, bool]
    alerts: tuple[tuple[Alert, tuple[int, ...]], ...] = ()
    executed: frozenset[int] = frozenset()
    ended: Mapping[str, str] = field(default_factory=dict)
    wall_s: float = 0.0
    note: str = ""

    def rate(self, baseline: Iterable[str]) -> float:
        """Share of the baseline's passing tests that pass; one that did not report has failed."""
        wanted = list(baseline)
        return sum(self.tests.get(t, False) for t in wanted) / len(wanted) if wanted else 0.0


def build(
    shop: Workshop,
    texts: Mapping[str, str],
    readers: Mapping[str, tuple[str, ...]],
    *,
    last: int = 0,
) -> tuple[dict[str, Path], str]:
    """(program -> file, what failed first): the tested programs with these texts in the tree."""
    switches = shop.compile_text(schemata.SWITCHES, schemata.switch_unit(last))

    def compiled(source: str) -> Compiled:
        mine = {p: t for p, t in texts.items() if source in (p, *readers.get(p, ()))}
        return shop.compile(shop.project.unit(source), mine)

    def linked(program: Program) -> tuple[Path | None, str]:
        if broken := [s for s in program.sources if not objects[s].ok]:
            return None, objects[broken[0]].log
        parts = {s: objects[s].object for s in program.sources}
        return shop.link(program, parts | {schemata.SWITCHES: switches})

    tested = shop.project.tested()
    sources = dict.fromkeys(s for program in tested for s in program.sources)
    objects = dict(pool(compiled, sources, workers=CORES, title="compile"))
    made = dict(pool(linked, tested, workers=CORES, title="link"))
    failed = [first_error(log) for path, log in map(made.get, tested) if path is None]
    return {p.name: path for p, (path, _) in made.items() if path}, "".join(failed[:1])


class Suite:
    """The test runs of a project over one set of programs."""

    def __init__(self, shop: Workshop, programs: Mapping[str, Path], note: str = "") -> None:
        self.shop, self.project = shop, shop.project
        self.programs, self.note = dict(programs), note
        self._files: dict[str, dict[str, bytes]] = {}

    @property
    def sanitizers(self) -> dict[str, str]:
        """Options of the sanitizers; leaks are looked for where the box lets a tracer in."""
        leaks = self.project.leaks and self.shop.box.limits.ptrace
        options = f"{SANITIZERS['ASAN_OPTIONS']}:detect_leaks={int(leaks)}"
        return SANITIZERS | {"ASAN_OPTIONS": options}

    def run(
        self,
        edits: Iterable[int] = (),
        *,
        only: Callable[[TestRun], bool] = lambda _: True,
    ) -> Seen:
        """Every test run once, each in a fresh box; a program that is not there fails its tests."""
        switches = "".join(f"{n}," for n in sorted(edits))
        tests, alerts, executed, ended, wall = {}, [], set(), {}, 0.0
        for run in filter(only, self.project.runs):
            if run.program not in self.programs:
                ended[run.name] = f"not built: {self.note}"
                continue
            seen = self._start(run, switches)
            tests |= self.project.parse(run.name, seen.out)
            alerts += [owned(a) for a in sanitizers.parse(seen.stderr + b"\n" + seen.stdout)]
            executed |= {int(n) for n in re.findall(rb"^\d+$", seen.channel, re.MULTILINE)}
            wall += seen.wall_s
            if seen.status != Status.COMPLETED:
                ended[run.name] = f"{seen.status}: {seen.note}"
        return Seen(tests, tuple(alerts), frozenset(executed), ended, wall, self.note)

    def _start(self, run: TestRun, switches: str) -> Evidence:
        project = self.project
        limits = Limits(
            wall_s=run.wall_s, cpu_s=run.wall_s, memory_mb=project.memory_mb, file_mb=64,
            disk_mb=project.disk_mb, output_kb=4096, artefacts=0, processes=64,
        )  # fmt: skip
        env = {**self.sanitizers, **project.environment, "KIT_EDITS": switches}
        program = self.programs[run.program]
        for _ in range(2):
            seen = self.shop.box.run(
                [f"{PROGRAMS}/{program.name}", *run.argv],
                files=self._fixtures(run),
                env=env,
                limits=limits,
                observe=False,
                mounts={MOUNT: project.tree, PROGRAMS: program.parent},
            )
            if seen.status != Status.INFRA_ERROR:
                return seen
        raise KitError(f"The sandbox failed at the tests of {run.name}: {seen.note}")

    def _fixtures(self, run: TestRun) -> dict[str, bytes]:
        if run.name not in self._files:
            self._files[run.name] = {
                str(Path(place) / path.relative_to(top)) if path != top else place: (
                    path.read_bytes()
                )
                for place, source in run.files.items()
                for top in [self.project.tree / source]
                for path in ([top] if top.is_file() else sorted(top.rglob("*")))
                if path.is_file()
            }
        return self._files[run.name]


def owned(alert: Alert) -> tuple[Alert, tuple[int, ...]]:
    """The alert with the functions' own names in its frames, and the edits that these belong to."""
    frames, edits = [], []
    for frame in alert.frames:
        name, _, place = frame.partition(" ")
        name, edit = schemata.edited_name(name)
        frames.append(f"{name} {place}".strip())
        edits += [] if edit is None else [edit]
    shown = [f for n, f in enumerate(frames) if n == 0 or f != frames[n - 1]]
    return replace(alert, frames=tuple(shown)), tuple(edits)
