"""How many tests a second the labelled programs take, from an empty run to the last verdict."""

import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from kit.errors import KitError
from kit.records import Sample, Task
from kit.run.pipeline import evaluate
from kit.sandbox import Sandbox, open_sandbox
from kit.store import Store
from kit.suite import Suite

COMPILED = ("c", "cpp")
CACHE = "XDG_CACHE_HOME"  # below it lie compiled programs


def even(samples: Sequence[Sample], limit: int | None) -> list[Sample]:
    """At most `limit` samples of each language, spread evenly over their order."""
    chosen = []
    for language in dict.fromkeys(s.language for s in samples):
        mine = [s for s in samples if s.language == language]
        size = min(limit or len(mine), len(mine))
        picked = np.unique(np.linspace(0, len(mine) - 1, size).round().astype(int))
        chosen += [mine[i] for i in picked]
    return chosen


def measure(
    suite: Suite,
    tasks: Sequence[Task],
    samples: Sequence[Sample],
    *,
    workers: int = 2,
    limit: int | None = None,
    tier: str = "bwrap",
) -> dict[str, Any]:
    """Tests, seconds and tests a second, in all and by language; nothing is cached beforehand.

    Compilation is apart: `compile` is the first test of each compiled program with no program
    compiled before, `again` the same with all of them compiled. "with compile" adds the difference
    to the seconds. limit: programs of each language. Executed and judged offline, in bubblewrap or
    the tier named.
    """
    chosen = even(samples, limit)
    if not chosen:
        raise KitError("No labelled programs to run. Choose a suite and tasks with references.")
    rows: dict[str, dict[str, Any]] = {}
    with fresh() as home, open_sandbox(tier, suite.limits) as box:
        for language in dict.fromkeys(s.language for s in chosen):
            mine = [s for s in chosen if s.language == language]
            row: dict[str, Any] = {"programs": len(mine)}
            if language in COMPILED:
                first = [replace(t, tests=t.tests[:1]) for t in tasks]
                for name in ("compile", "again"):
                    row[name] = _pass(home / name / language, suite, first, mine, box, workers)[1]
            row |= _numbers(*_pass(home / language, suite, tasks, mine, box, workers), row)
            rows[language] = row
    load = round(os.getloadavg()[2], 2)  # a busy machine makes every figure smaller
    whole = {"sandbox": tier, "workers": workers, "cpus": os.cpu_count(), "load": load}
    return {**whole, "all": _total(list(rows.values())), "languages": rows}


@contextmanager
def fresh() -> Iterator[Path]:
    """A folder for the runs, with an empty cache of compiled programs for as long as it lasts."""
    before = os.environ.get(CACHE)
    with tempfile.TemporaryDirectory(prefix="kit-bench-") as home:
        os.environ[CACHE] = home
        try:
            yield Path(home)
        finally:
            os.environ.pop(CACHE)
            if before is not None:
                os.environ[CACHE] = before


def _pass(
    run: Path,
    suite: Suite,
    tasks: Sequence[Task],
    samples: Sequence[Sample],
    box: Sandbox,
    workers: int,
) -> tuple[int, float]:
    """Tests executed and judged in a fresh run, and the seconds that it took."""
    with Store(run) as store:
        store.plan(tasks, samples)
        for sample in samples:
            store.put_sample(sample)
        start = time.perf_counter()
        tally = evaluate(store, suite, tasks, box, workers=workers)
        spent = time.perf_counter() - start
    if tally.infra:
        raise KitError(f"{tally.infra} runs failed on our side: {tally.note} Try `kit doctor`.")
    return tally.fresh, spent


def _numbers(tests: int, seconds: float, row: dict[str, Any]) -> dict[str, Any]:
    compiling = max(0.0, row.get("compile", 0.0) - row.get("again", 0.0))
    return {
        "tests": tests,
        "seconds": seconds,
        "per second": tests / seconds,
        "compiling": compiling,
        "per second with compile": tests / (seconds + compiling),
    }


def _total(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    summed = {
        name: sum(r.get(name, 0) for r in rows)
        for name in ("programs", "tests", "seconds", "compile", "again", "compiling")
    }
    whole = summed["seconds"] + summed["compiling"]
    return summed | {
        "per second": summed["tests"] / summed["seconds"],
        "per second with compile": summed["tests"] / whole,
    }


def text(found: dict[str, Any]) -> str:
    """The result of `measure` as a table."""
    names = ("programs", "tests", "seconds", "per second", "compile", "again",
             "per second with compile")  # fmt: skip
    lines = [" " * 12 + "".join(f"{n:>{max(10, len(n) + 2)}}" for n in names)]
    for label, row in {**found["languages"], "all": found["all"]}.items():
        cells = [f"{_cell(row.get(n)):>{max(10, len(n) + 2)}}" for n in names]
        lines.append(f"{label:12}" + "".join(cells))
    told = "{workers} workers on {cpus} processors, load average {load} over 15 minutes"
    return "\n".join([*lines, f"{told.format(**found)}; nothing cached beforehand"])


def _cell(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}" if isinstance(value, float) else str(value)
