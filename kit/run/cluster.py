"""Executes units of work on Dask: local processes, a remote scheduler, or Slurm.

Only execution is distributed. If a worker dies, another worker executes its unit again. A unit that
cannot be executed stays pending; rerun the command to continue.
"""

import fcntl
import logging
import os
import shutil
import socket
import sqlite3
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cache
from itertools import chain, islice
from pathlib import Path
from typing import Any

import click

from kit import __version__, harness
from kit.core.errors import KitError
from kit.core.records import Sample, Task, Trial, content_key
from kit.core.store import Store, slot_of
from kit.run import pipeline
from kit.run.pool import Tally
from kit.run.suite import Suite
from kit.run.suites import of_run
from kit.sandbox import Sandbox, open_sandbox

SIZE = 500  # trials per unit: minutes of work, about a megabyte
LEAST = 20  # minimum trials per unit on a cluster
TRIES = 3  # attempts at a unit whose worker died
KEYS, TOOLS = "unit", "tools"  # metadata of a unit's file: trial keys, and versions behind them
PREFIX, OLD_S = "kit-unit-", 3600.0  # temporary folders; removed when unused for this long
LATER = "later"  # nothing is executed now; `kit cluster plan` writes units
WAYS = "local:N (processes here), tcp://HOST:PORT, slurm:JOBS, or later"
MONITORING = {"distributed.worker.profile.enabled": False, "distributed.admin.tick.interval": "1s"}

OPEN = """SELECT 1 FROM cells c LEFT JOIN evidence e ON e.key = c.evidence
    LEFT JOIN verdicts v ON v.key = c.verdict
    WHERE e.status = 'infra_error' OR v.key IS NULL OR v.reason = 'oracle_failed' LIMIT 1"""


def find_missing_trials(
    store: Store, suite: Suite, tasks: Sequence[Task], box: Sandbox, total: Tally
) -> Iterator[list[Trial]]:
    """The trials that have no evidence yet, round by round; only one round is held in memory.

    Trials that have evidence are recorded and counted in `total`. A program that recurs in a later
    round is executed again. Raises KitError for a suite whose trials depend on each other.
    """
    if not suite.repeats:
        raise KitError(f"The trials of {suite.name} depend on each other. Leave --cluster out.")
    for part in pipeline.rounds_of_trials(store, suite, tasks, box):
        keys = store.find_settled(trial.key for trial in part)
        missing = []
        executed = []
        for trial in part:
            if trial.key in keys:
                executed.append(trial)
            else:
                missing.append(trial)
        pipeline.record_verdicts(store, suite, executed)
        total.cached += _count_cells(executed)
        if missing:
            yield missing


def split_into_units(
    parts: Iterable[Sequence[Trial]], size: int = SIZE, *, total: int = 10**9, share: int = 1
) -> Iterator[list[Trial]]:
    """Units of at most `size` trials, in order, so a program's trials are adjacent.

    A unit has at most 1 / share of what is left of `total`, so that workers end at the same time.
    """
    trials = chain.from_iterable(parts)
    while True:
        unit = list(islice(trials, min(size, max(LEAST, total // share))))
        if not unit:
            return
        total -= len(unit)
        yield unit


def pack_unit(
    store: Store, suite: Suite, tasks: Sequence[Task], box: Sandbox, trials: Sequence[Trial]
) -> bytes:
    """The file of one unit: its tasks' tests, its programs, the run's metadata, its trial keys.

    It includes the evidence that variants depend on, and nothing that only the run itself reads.
    """
    programs: dict[str, Sample] = {}
    for trial in trials:
        for cell in trial.cells:
            programs[slot_of(cell.sample)] = cell.sample
    samples = [replace(sample, response="", stream="") for sample in programs.values()]
    ids = {sample.task for sample in samples}
    its_tasks = [task for task in tasks if task.id in ids]
    before = {trial.after for trial in trials} - {""}
    meta = store.meta()
    meta.pop("invocations", None)
    meta[KEYS] = [*before, *(trial.key for trial in trials)]
    meta[TOOLS] = read_tool_versions(suite, its_tasks, samples, box)
    with _open_temporary_run() as path:
        with Store(path) as unit, unit.transaction():
            unit.set_meta(**meta)
            unit.plan(its_tasks, samples)
            for sample in samples:
                unit.put_sample(sample)
            for key in before:
                evidence = store.evidence(key)
                if evidence is not None:
                    unit.put_evidence(key, evidence)
        return path.read_bytes()


def read_tool_versions(
    suite: Suite, tasks: Sequence[Task], programs: Iterable[Sample], box: Sandbox
) -> dict[str, str]:
    """Name -> version on this machine, for all that these programs' trial keys depend on."""
    versions = {"the kit": __version__, "the sandbox": box.identity}
    for name, value in suite.about().items():
        versions[f"the suite's {name}"] = str(value)
    for language in sorted({program.language for program in programs}):
        versions[f"the harness of {language}"] = harness.hash_language_sources(language)
    versions["the text of the tasks"] = content_key(list(tasks))[:12]
    return versions


def execute_unit(
    unit: bytes,
    tasks: Sequence[Task] | None = None,
    *,
    data: Path | None = None,
    tier: str = "bwrap",
) -> tuple[bytes, Tally]:
    """Execute and judge a unit on this machine's own disk; returns its new file and the tally.

    tasks: the suite's; None loads them from `data` or the suite's own folder. Trials whose keys
    differ on this machine stay pending, and the tally names the tool that differs. If the disk is
    full, the whole unit stays pending. A complete unit is returned as it is.
    """
    try:
        return _execute_pending(unit, tasks, data, tier)
    except (OSError, sqlite3.OperationalError) as error:
        code = getattr(error, "errno", None)
        database_code = getattr(error, "sqlite_errorcode", None)
        if code not in pipeline.FULL and database_code != sqlite3.SQLITE_FULL:
            raise
        where = f"{tempfile.gettempdir()} of {socket.gethostname()}"
        return unit, Tally(
            note=f"The disk with {where} is full, so one batch was not executed. "
            "Free disk space or set TMPDIR, then rerun to continue."
        )


def _execute_pending(
    unit: bytes, tasks: Sequence[Task] | None, data: Path | None, tier: str
) -> tuple[bytes, Tally]:
    with _open_temporary_run(unit) as path:
        with Store(path) as store:
            meta = store.meta()
            keys = set(meta[KEYS])
            if keys <= store.find_settled(keys) and not store.db.execute(OPEN).fetchone():
                (cells,) = store.db.execute("SELECT count(*) FROM cells").fetchone()
                return unit, Tally(cached=cells)
            suite = of_run(store)
            if tasks is None:
                tasks = suite.load(data).tasks
            ids = {task for (task,) in store.db.execute("SELECT task FROM slots")}
            tasks = [t for t in tasks if t.id in ids]
            with open_sandbox(tier, suite.limits) as box, store.transaction():
                tally = pipeline.evaluate_programs(store, suite, tasks, box, workers=1, keys=keys)
                here = read_tool_versions(suite, tasks, store.samples(), box)
            lost = len(keys - store.find_settled(keys))
        if lost and not tally.note:
            tally.note = (
                f"{lost} trials differ on this machine: {_describe_differences(meta[TOOLS], here)}"
            )
        return path.read_bytes(), tally


def _describe_differences(there: dict[str, str], here: dict[str, str]) -> str:
    """Which tools differ, and what to do."""
    parts = []
    for name in {**there, **here}:
        ours = here.get(name, "none")
        theirs = there.get(name, "none")
        if ours != theirs:
            parts.append(f"{name} here is {ours}, but for the run {theirs}")
    return (
        f"{'; '.join(parts) or 'a setting of the suite differs'}. Install the same versions of "
        f"what `kit doctor` lists on {socket.gethostname()}, and use the same --sandbox, "
        "--requirements, --install and --data"
    )


def merge_unit(store: Store, unit: bytes) -> tuple[int, int, int]:
    """Merge a unit's results: (new results, cells with a different verdict, pending trials).

    Such a cell keeps its verdict; the other verdict is stored as a repeat. `kit runs flakes` shows
    both.
    """
    with _open_temporary_run(unit) as path:
        with Store(path, write=False) as results:
            keys = set(results.meta()[KEYS])
            pending = len(keys - results.find_settled(keys))
        return (*store.merge(path), pending)


@contextmanager
def _open_temporary_run(unit: bytes = b"") -> Iterator[Path]:
    """The file of a run in a temporary folder, which is locked while this process uses it."""
    remove_old_folders()
    with tempfile.TemporaryDirectory(prefix=PREFIX) as folder, _lock_folder(Path(folder)):
        path = Path(folder, "run.sqlite")
        if unit:
            path.write_bytes(unit)
        yield path


@contextmanager
def _lock_folder(folder: Path) -> Iterator[os.stat_result]:
    """Lock the folder. Raises OSError if it is not one, or another process has locked it."""
    door = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(door, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield os.fstat(door)
    finally:
        os.close(door)


@cache  # once a process
def remove_old_folders() -> None:
    """Remove our own folders that killed processes left behind."""
    for old in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError), _lock_folder(old) as about:
            if about.st_uid == os.geteuid() and time.time() - about.st_mtime > OLD_S:
                shutil.rmtree(old)


@contextmanager
def open_dask_client(where: str) -> Iterator[Any]:
    """A Dask client for `where`; raises KitError if `where` is invalid or Dask is not installed."""
    kind, _, rest = where.partition(":")
    if kind not in ("local", "tcp", "slurm") or (kind != "tcp" and rest and not rest.isdigit()):
        raise KitError(f"Unknown --cluster {where!r}. Use {WAYS}.")
    try:
        import dask
        from dask_jobqueue.slurm import SLURMCluster
        from distributed import Client, LocalCluster
    except ImportError:
        raise KitError("Dask is missing. Type: pip install 'securecode-kit[cluster]'") from None
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # `go` reports lost units
    if kind == "tcp":
        try:
            client = Client(where, timeout=20)
        except OSError as error:
            raise KitError(f"No Dask scheduler answers at {where}: {error}.") from None
        with client:
            yield client
        return
    jobs = int(rest or 2)
    with dask.config.set(MONITORING):
        if kind == "slurm":  # other options: Dask's own settings
            with SLURMCluster(cores=1, processes=1, memory="4GB") as slurm, Client(slurm) as client:
                slurm.scale(jobs=jobs)
                yield client
            return
        local = LocalCluster(n_workers=jobs, threads_per_worker=1, dashboard_address=None)
        with local, Client(local) as client:
            yield client


def go(store: Store, suite: Suite, tasks: Sequence[Task], box: Sandbox, *, where: str) -> Tally:
    """Execute and judge a run's pending trials on a cluster; a tally as of `pipeline.evaluate`."""
    total = Tally()
    rounds = find_missing_trials(store, suite, tasks, box, total)
    if where == LATER:
        total.left = sum(map(_count_cells, rounds))
        return total
    first = next(rounds, [])
    if not first:
        return total
    lost: list[str] = []
    with open_dask_client(where) as client:
        pending = max(len(first), store.lacking())
        workers = max(1, len(client.nthreads()))
        units = split_into_units(chain([first], rounds), total=pending, share=2 * workers)
        results = _collect_results(client, store, suite, tasks, units, box)
        for number, (trials, result) in enumerate(results, 1):
            size = _count_cells(trials)
            if isinstance(result, Exception):
                lost.append(f"{type(result).__name__}: {' '.join(str(result).split())}"[:300])
                total.left += size
                continue
            file, tally = result
            _, differing, _ = merge_unit(store, file)
            tally.cached = 0
            tally.left = max(0, size - tally.fresh - tally.infra)  # variants come on top
            if differing:
                tally.note = f"{differing} cells got a different verdict than before; "
                tally.note += "see `kit runs flakes`"
            total = total + tally
            click.echo(f"kit: batch {number}: {replace(total, note=tally.note)}", err=True)
    if lost:
        note = f"{len(lost)} batches were lost, the first by {lost[0]}; rerun to continue"
        total += Tally(note=note)
    return total


def _count_cells(trials: Sequence[Trial]) -> int:
    return sum(len(trial.cells) for trial in trials)


def _collect_results(
    client: Any,
    store: Store,
    suite: Suite,
    tasks: Sequence[Task],
    units: Iterator[list[Trial]],
    box: Sandbox,
) -> Iterator[tuple[list[Trial], Any]]:
    """(trials, (file, tally) or exception) of each unit as it ends; only a few run at a time."""
    from distributed import as_completed

    pending: dict[str, list[Trial]] = {}
    gone = ConnectionError("the scheduler does not answer any more")

    def submit_unit(trials: list[Trial]) -> Any:
        ids: set[str] = set()
        for trial in trials:
            ids.update(cell.task.id for cell in trial.cells)
        its_tasks = [
            task for task in tasks if task.id in ids
        ]  # sent along: scattered data get lost
        unit = pack_unit(store, suite, its_tasks, box, trials)
        future = client.submit(
            execute_unit, unit, its_tasks, tier=box.tier, pure=False, retries=TRIES
        )
        pending[future.key] = trials
        return future

    window = 2 * max(1, len(client.nthreads()))
    running = as_completed([submit_unit(trials) for trials in islice(units, window)])
    for future in running:
        try:
            result = future.result()
        except Exception as error:  # in the worker or the cluster; the unit stays pending
            result = error if client.status == "running" else gone
        yield pending.pop(future.key), result
        if client.status == "running":
            for trials in islice(units, 1):
                running.add(submit_unit(trials))
    for trials in units:
        yield trials, gone
