"""Units of work on Dask: processes of this machine, a scheduler somewhere, or Slurm.

Only execution is spread. A worker that dies costs the unit it held, and another does that again;
a unit that cannot be done is left, and the same command goes on.
"""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import click

from kit.errors import KitError
from kit.pool import Tally
from kit.records import Task, Trial
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
    absent, cached = dict[str, Trial](), 0
    for part in pipeline.rounds(store, suite, tasks, box):
        known = [t for t in part if store.knows(t.key)]
        pipeline.recorded(store, suite, known)
        cached += sum(len(t.cells) for t in known)
        there = {t.key for t in known}
        absent |= {t.key: t for t in part if t.key not in there}
    return list(absent.values()), cached


def cut(trials: Sequence[Trial], size: int = SIZE) -> Iterator[Sequence[Trial]]:
    """So many trials at a time, in their order: a program's stand together."""
    return (trials[at : at + size] for at in range(0, len(trials), size))


def packed(store: Store, tasks: Sequence[Task], trials: Sequence[Trial]) -> bytes:
    """The file of one unit: the tasks' tests, its samples, the run's notes, its trials' keys."""
    samples = {slot_of(c.sample): c.sample for trial in trials for c in trial.cells}
    with tempfile.TemporaryDirectory(prefix="kit-unit-") as folder:
        with Store(Path(folder) / "run.sqlite") as unit:
            unit.set_meta(**store.meta(), **{KEYS: [t.key for t in trials]})
            with unit.transaction():
                unit.plan(tasks, list(samples.values()))
                for sample in samples.values():
                    unit.put_sample(sample)
        return unit.path.read_bytes()


def work(
    unit: bytes,
    tasks: Sequence[Task] | None = None,
    *,
    data: Path | None = None,
    tier: str = "bwrap",
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
                tally = pipeline.evaluate(store, suite, tasks, box, workers=1, keys=keys)
            lost = len(keys - store.settled())
        if lost and not tally.note:
            tally.note = f"{lost} trials are not the same here: another sandbox or another version"
        return path.read_bytes(), tally


def merged(store: Store, unit: bytes) -> tuple[int, int]:
    """Take over a unit's results: (cells that it saw differently from what was known, trials left).

    Such a cell keeps its verdict, and the other one beside it as a repeat: `kit runs flakes` shows
    both.
    """
    with tempfile.TemporaryDirectory(prefix="kit-unit-") as folder:
        path = Path(folder) / "run.sqlite"
        path.write_bytes(unit)
        with Store(path, write=False) as done:
            left = set(done.meta()[KEYS]) - done.settled()
        return store.merge(path), len(left)


LATER = "later"  # nothing is executed now; `kit cluster plan` makes units of it
TRIES = 3  # of a unit whose worker died
ROUNDS, LEAST = 4, 20  # units for each worker, so that none waits long for the last; trials of one
WAYS = "local:N (processes here), tcp://HOST:PORT, slurm:JOBS, or later"


@contextmanager
def connected(where: str) -> Iterator[Any]:
    """A Dask client for `where`; KitError where it is none of the ways, or Dask is not here."""
    kind, _, rest = where.partition(":")
    if kind not in ("local", "tcp", "slurm") or (kind != "tcp" and rest and not rest.isdigit()):
        raise KitError(f"--cluster {where!r} is not known. Use {WAYS}.")
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise KitError("Dask is not here: pip install 'securecode-kit[cluster]'.") from None
    if kind == "tcp":
        try:
            client = Client(where, timeout=20)
        except OSError as error:
            raise KitError(f"No Dask scheduler answers at {where}: {error}.") from None
        with client:
            yield client
        return
    jobs = int(rest or 2)
    with _slurm(jobs) if kind == "slurm" else LocalCluster(
        n_workers=jobs, threads_per_worker=1, dashboard_address=None
    ) as cluster, Client(cluster) as client:  # fmt: skip
        yield client


def _slurm(jobs: int) -> Any:
    try:
        from dask_jobqueue.slurm import SLURMCluster
    except ImportError:
        raise KitError(
            "dask-jobqueue is not here: pip install 'securecode-kit[cluster]'."
        ) from None
    cluster = SLURMCluster(cores=1, processes=1, memory="4GB")  # the rest: Dask's own settings
    cluster.scale(jobs=jobs)
    return cluster


def go(
    store: Store, suite: Suite, tasks: Sequence[Task], box: Sandbox, *, where: str
) -> Tally:  # fmt: skip
    """Execute and judge on a cluster what the run lacks; the tally as of `pipeline.evaluate`."""
    trials, cached = missing(store, suite, tasks, box)
    total = Tally(cached=cached)
    if where == LATER or not trials:
        total.left = sum(len(t.cells) for t in trials)
        return total
    with connected(where) as client:
        share = len(trials) // (ROUNDS * max(1, len(client.nthreads())))
        parts = list(cut(trials, max(LEAST, min(share, SIZE))))
        for number, (part, result) in enumerate(_done(client, store, tasks, parts, box), 1):
            total = total + _taken(store, part, result)
            click.echo(f"kit: unit {number} of {len(parts)}: {total}", err=True)
    return total


def _done(
    client: Any, store: Store, tasks: Sequence[Task], parts: Sequence[Any], box: Sandbox
) -> Iterator[tuple[Any, Any]]:
    """(trials, (file, tally) or the exception) of each unit as it ends; few are under way."""
    from distributed import as_completed

    todo = iter(parts)
    pending: dict[str, Any] = {}

    def submitted(part: Any) -> Any:
        wanted = {c.task.id for trial in part for c in trial.cells}
        ours = [t for t in tasks if t.id in wanted]  # sent along: what is scattered dies with one
        unit = packed(store, ours, part)
        future = client.submit(work, unit, ours, tier=box.name, pure=False, retries=TRIES)
        pending[future.key] = part
        return future

    window = 2 * max(1, len(client.nthreads()))
    ended = as_completed([submitted(part) for part in islice(todo, window)])
    for future in ended:
        try:
            result = future.result()
        except Exception as error:  # of the worker or of the cluster; the unit is left
            result = error
        yield pending.pop(future.key), result
        if (part := next(todo, None)) is not None:
            ended.add(submitted(part))


def _taken(store: Store, part: Sequence[Any], result: Any) -> Tally:
    """A unit's result in the run; what is not there any more is left, with why."""
    size = sum(len(trial.cells) for trial in part)
    if isinstance(result, Exception):
        return Tally(left=size, note=f"a unit was lost: {type(result).__name__}: {result}"[:300])
    file: bytes = result[0]
    tally: Tally = result[1]
    differing, _ = merged(store, file)
    tally.cached, tally.left = 0, size - tally.fresh - tally.infra
    if differing:
        tally.note = f"{differing} cells came out otherwise than before; see `kit runs flakes`"
    return tally
