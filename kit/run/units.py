"""A run's executions in units, for other processes and machines; one writer merges their files.

A unit is a run's file of its own, with some hundred trials to execute. Keys are content, so it is
enough that each unit is done at least once, by anybody: what comes twice is the same thing twice.
"""

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from kit.errors import KitError
from kit.pool import Tally
from kit.records import Sample, Task, Trial
from kit.run import pipeline
from kit.sandbox import Sandbox, open_sandbox
from kit.store import Store, slot_of
from kit.suite import Suite
from kit.suites import of_run

SIZE = 500  # trials of a unit: minutes of work, a megabyte or so
KEYS = "unit"  # the meta of a unit's file that names its trials


def missing(
    store: Store, suite: Suite, tasks: Sequence[Task], box: Sandbox
) -> tuple[list[Trial], int]:
    """The trials that have no evidence yet; what has some is recorded now, and counted in cells.

    Raises KitError for a suite whose trials rest on each other.
    """
    if not suite.repeats:
        raise KitError(f"The trials of {suite.name} rest on each other; leave --cluster out.")
    found, cached = dict[str, Trial](), 0
    for part in pipeline.rounds(store, suite, tasks, box):
        known = [t for t in part if store.knows(t.key)]
        pipeline.recorded(store, suite, known)
        cached += sum(len(t.cells) for t in known)
        there = {t.key for t in known}
        found |= {t.key: t for t in part if t.key not in there}
    return list(found.values()), cached


def cut(trials: Sequence[Trial], size: int = SIZE) -> Iterator[Sequence[Trial]]:
    """So many trials at a time, in their order: a program's stand together."""
    return (trials[at : at + size] for at in range(0, len(trials), size))


def packed(store: Store, tasks: Sequence[Task], trials: Sequence[Trial]) -> bytes:
    """The file of one unit: the tasks' tests, its samples, the run's notes, its trials' keys."""
    samples = {slot_of(c.sample): c.sample for trial in trials for c in trial.cells}
    with tempfile.TemporaryDirectory(prefix="kit-unit-") as folder:
        with Store(Path(folder) / "run.sqlite") as unit:
            unit.set_meta(**store.meta(), **{KEYS: [t.key for t in trials]})
            _fill(unit, tasks, list(samples.values()))
        return unit.path.read_bytes()


def _fill(unit: Store, tasks: Sequence[Task], samples: Sequence[Sample]) -> None:
    with unit.transaction():
        unit.plan(tasks, samples)
        for sample in samples:
            unit.put_sample(sample)


def work(
    unit: bytes,
    tasks: Sequence[Task] | None = None,
    *,
    data: Path | None = None,
    tier: str = "bwrap",
    workers: int = 1,
) -> tuple[bytes, Tally]:
    """Execute and judge a unit on this machine's own disk; its file afterwards, and the tally.

    tasks: the suite's; None loads them here, from `data` or the suite's own folder. Trials that
    this machine would execute otherwise (another sandbox or version) are left.
    """
    with tempfile.TemporaryDirectory(prefix="kit-unit-") as folder:
        path = Path(folder) / "run.sqlite"
        path.write_bytes(unit)
        with Store(path) as store:
            suite, keys = of_run(store), set(store.meta()[KEYS])
            if tasks is None:
                tasks = suite.load(data).tasks
            with open_sandbox(tier, suite.limits) as box:
                tally = pipeline.evaluate(store, suite, tasks, box, workers=workers, keys=keys)
            lost = len(keys - store.settled())
        if lost and not tally.note:
            tally.note = f"{lost} trials are not the same here: another sandbox or another version"
        return path.read_bytes(), tally


def merged(store: Store, unit: bytes) -> tuple[int, int]:
    """Take over a unit's results: (cells that it saw differently from what was known, trials left).

    Such a cell keeps its verdict, and the other one beside it as a repeat: `kit flakes` shows both.
    """
    with tempfile.TemporaryDirectory(prefix="kit-unit-") as folder:
        path = Path(folder) / "run.sqlite"
        path.write_bytes(unit)
        with Store(path, write=False) as done:
            left = set(done.meta()[KEYS]) - done.settled()
        return store.merge(path), len(left)
