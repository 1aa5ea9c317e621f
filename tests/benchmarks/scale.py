"""What a run of many samples costs to write, read, score, resume and merge: a synthetic run.

Nothing is executed: evidence and verdicts are made up from a seed, in the store's own way.
"""

import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from kit.metrics import stats
from kit.metrics.bootstrap import bootstrap, clusters
from kit.records import (
    Evidence,
    Outcome,
    Reason,
    Sample,
    Status,
    Task,
    Test,
    Trial,
    Verdict,
    content_key,
)
from kit.run import pipeline
from kit.run.export import export
from kit.sandbox import open_sandbox
from kit.store import Store, slot_of
from kit.suites.spec.suite import SpecSuite

TASKS, TESTS = 50, 30  # of the synthetic suite; half of the tests are functional
SHOWN = 307, 64, 5000  # tasks, configurations and resamples of the bootstrap


def measure(samples: int, page: Callable[[Store, list[Task]], object]) -> dict[str, Any]:
    """CPU seconds of each step over a run of so many samples with 30 tests each; sizes in MB.

    `peak` is the most memory of the process until the end of a step. page: builds what a person
    sees first of a run.
    """
    found: dict[str, Any] = {"samples": samples, "rows": samples * TESTS}
    with tempfile.TemporaryDirectory() as folder, open_sandbox("bwrap") as box:
        suite, tasks = SpecSuite(), _tasks()
        path = Path(folder) / "run.sqlite"
        with Store(path) as store:
            with _clock(found, "write"):
                _fill(store, suite, tasks, samples, box)
            with _clock(found, "resume: nothing is left"):
                done = pipeline.evaluate(store, suite, tasks, box)
            found["left"] = done.fresh + done.infra + done.left
            with _clock(found, "score, 1,000 resamples"):
                suite.scores(store, by=["model"], k=(1,), rng=stats.seed("scale"), n_boot=1000)
        found["file, MB"] = round(path.stat().st_size / 1e6, 1)
        with _clock(found, "export, parquet"):
            export(path, Path(folder) / "rows.parquet")
        found["parquet, MB"] = round((Path(folder) / "rows.parquet").stat().st_size / 1e6, 1)
        with Store(Path(folder) / "other.sqlite") as other:
            with _clock(found, "merge"):
                found["differing"] = other.merge(path)
            with _clock(found, "merge, all of it known"):
                found["differing"] += other.merge(path)
        with _clock(found, "frame"), Store(path, write=False) as store:
            found["frame, MB"] = round(store.frame().memory_usage(deep=True).sum() / 1e6, 1)
        with _clock(found, "first page of the explorer"), Store(path, write=False) as store:
            page(store, tasks)
    with _clock(found, "bootstrap, 64 configurations x 307 tasks, 5,000 resamples"):
        _bootstraps()
    return found


@contextmanager
def _clock(found: dict[str, Any], name: str) -> Iterator[None]:
    start = time.process_time()
    yield
    found[f"{name}, s"] = round(time.process_time() - start, 3)
    found[f"{name}, peak MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def _tasks() -> list[Task]:
    def test(n: int) -> Test:
        kind = "functional" if n % 2 else "security"
        return Test(f"t-{n:02}", kind, input={"n": n}, expected=n, cwe="" if n % 2 else "CWE-78")

    every = tuple(map(test, range(TESTS)))
    return [Task(f"s{n:02}", "scale", "Write f(n).", every) for n in range(TASKS)]


def _fill(store: Store, suite: SpecSuite, tasks: list[Task], samples: int, box: Any) -> None:
    rng = np.random.default_rng(7)
    given = [Sample(tasks[n % TASKS].id, "model", n // TASKS, code=f"def f(n):\n    return {n}\n")
             for n in range(samples)]  # fmt: skip
    store.set_meta(suite=suite.name)
    store.plan(tasks, given)
    with store.transaction():
        for sample in given:
            store.put_sample(sample)
    for part in pipeline.rounds(store, suite, tasks, box):
        with store.transaction():
            for trial in part:
                _put(store, suite, trial, good=rng.random() < 0.7)


def _put(store: Store, suite: SpecSuite, trial: Trial, *, good: bool) -> None:
    (cell,) = trial.cells
    key = pipeline.verdict_key(suite, trial, cell)
    store.put_evidence(trial.key, Evidence(Status.COMPLETED, wall_s=0.02))
    outcome, reason = (Outcome.PASS, Reason.EXACT) if good else (Outcome.FAIL, Reason.MISMATCH)
    store.put_verdict(key, Verdict(cell.test.id, outcome, reason, "Made up.", "match"))
    store.put_cell(slot_of(cell.sample), cell.test.id, evidence=trial.key, verdict=key,
                   cached=False)  # fmt: skip


def _bootstraps() -> None:
    tasks, configurations, resamples = SHOWN
    rng = np.random.default_rng(7)
    for n in range(configurations):
        values = rng.random((tasks, 1))
        data = clusters(values, np.arange(tasks))
        bootstrap(data, rng=stats.seed(content_key(n)), n_boot=resamples, within=False)
