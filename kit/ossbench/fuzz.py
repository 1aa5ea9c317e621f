"""Mutated inputs against the build with switches: what the tests never reach (section 3.4).

The project's own fuzz target is driven by a small mutator instead of libFuzzer, so that no second
compiler is needed; the n-th input is the same in every run.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from kit.errors import KitError
from kit.oracle.sanitizers import CLASSES, Alert, unique
from kit.ossbench import schemata, trial
from kit.ossbench.trial import Seen, owned
from kit.ossbench.workshop import Workshop
from kit.records import Status
from kit.sandbox import Limits
from kit.suites.cproject.project import MOUNT, FuzzTarget, Program

DRIVER = "fuzz_driver.c"
DEATHS = 20  # of the process, in one go over the inputs, before it is given up
NO_CORPUS = 2  # the driver's exit code
LIMITS = Limits(wall_s=120, cpu_s=110, memory_mb=1024, output_kb=8192, artefacts=0)


@dataclass(frozen=True)
class Fuzzer:
    """The fuzz target of a project, linked with one set of texts."""

    shop: Workshop
    target: FuzzTarget
    program: Path

    @classmethod
    def build(
        cls,
        shop: Workshop,
        texts: dict[str, str],
        readers: dict[str, tuple[str, ...]],
        *,
        last: int,
    ) -> "Fuzzer":
        target = shop.project.fuzz
        if target is None:
            raise KitError(f"{shop.project.name} has no fuzz target here; fuzz cjson.")
        code = Path(__file__).with_name(DRIVER).read_text()
        parts = {
            DRIVER: shop.compile_text(DRIVER, code),
            schemata.SWITCHES: shop.compile_text(schemata.SWITCHES, schemata.switch_unit(last)),
        }
        for unit in (target.unit, *map(shop.project.unit, target.sources)):
            mine = {p: t for p, t in texts.items() if unit.source in (p, *readers.get(p, ()))}
            done = shop.compile(unit, mine)
            if not done.ok:
                raise KitError(
                    f"The fuzz target's {unit.source} does not compile: {done.log[:300]}"
                )
            parts[unit.source] = done.object
        words = Program("fuzz", tuple(parts), target.libraries)
        path, log = shop.link(words, parts)
        if path is None:
            raise KitError(f"The fuzz target does not link: {log[:300]}")
        return cls(shop, target, path)

    def corpus(self) -> bytes:
        """Every seed under every head, as the driver reads them."""
        folder, tail = self.shop.project.tree / self.target.seeds, self.target.tail
        out = []
        for path in sorted(p for p in folder.rglob("*") if p.is_file()):
            for head in self.target.heads:
                whole = head + path.read_bytes()[:2048] + tail
                out.append(b"%d %d %d\n" % (len(head), len(tail), len(whole)) + whole)
        return b"".join(out)

    def run(self, edits: Iterable[int], *, inputs: int) -> Seen:
        """`inputs` inputs with these edits in force; a dead process goes on behind its last one."""
        switches = "".join(f"{n}," for n in sorted(edits))
        first, alerts, executed, ended, wall = 0, [], set(), {}, 0.0
        env = {**trial.SANITIZERS, "KIT_EDITS": switches}
        env["ASAN_OPTIONS"] += ":detect_leaks=0"
        corpus = self.corpus()
        for death in range(DEATHS + 1):
            seen = self.shop.box.run(
                [f"/opt/{self.program.name}", str(first), str(inputs - first)],
                stdin=corpus,
                env=env,
                limits=LIMITS,
                observe=False,
                mounts={MOUNT: self.shop.project.tree, "/opt": self.shop.home},
            )
            if seen.status == Status.INFRA_ERROR:
                raise KitError(f"The sandbox failed at fuzzing: {seen.note}")
            alerts += [owned(a) for a in trial.sanitizers.parse(seen.stderr)]
            executed |= {int(n) for n in re.findall(rb"^\d+$", seen.channel, re.MULTILINE)}
            wall += seen.wall_s
            died = re.findall(rb"^died (\d+)$", seen.channel, re.MULTILINE)
            if not died:
                if seen.exit_code == NO_CORPUS:
                    raise KitError(f"The fuzz target of {self.shop.project.name} got no corpus.")
                if seen.status != Status.COMPLETED or seen.exit_code:
                    ended["fuzz"] = f"{seen.status}: {seen.note or seen.exit_code}"
                break
            first = int(died[-1]) + 1
            ended["fuzz"] = f"died {death + 1} times"
        return Seen({}, tuple(alerts), frozenset(executed), ended, wall)


def by_class(alerts: Iterable[Alert], *, baseline: Iterable[str] = ()) -> dict[str, int]:
    """Unique alerts of each class, and in all."""
    found = unique(alerts, baseline=baseline).values()
    counts = {c: sum(a.group == c for a in found) for c in CLASSES}
    return counts | {"total": len(found)}
