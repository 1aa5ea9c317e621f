"""Bootstrap over tasks, then over the samples within each drawn task.

A benchmark's tasks are a sample of the tasks that it stands for, and samples of one task are alike,
so resampling rows would give intervals that are too narrow. Arrays only; vectorised over resamples.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from kit.scoring.stats import Interval

Array = NDArray[Any]
# Sums (..., tasks, columns) over the samples of a task, and their number n (..., tasks), become
# terms (..., tasks, metrics, 2); a metric is the sum of its first terms over that of its second.
Terms = Callable[[Array, Array], Array]
CELLS = 250_000  # drawn tasks at once: bounds the memory, not the result
POOL = 500  # second-stage resamples of each task, of which every drawn copy of it takes one


@dataclass(frozen=True)
class Clusters:
    """Samples sorted by task: values (samples, columns); per task its name, first row, size."""

    values: Array
    names: Array
    starts: Array
    sizes: Array

    @property
    def sums(self) -> Array:
        return np.add.reduceat(self.values, self.starts, axis=0)


def group_by_task(values: ArrayLike, labels: ArrayLike) -> Clusters:
    """Group one row of numbers a sample (or one number) by the task in `labels`."""
    values = np.asarray(values, dtype=float)
    labels = np.asarray(labels)
    if len(values) != len(labels) or not len(values):
        raise ValueError(f"Got {len(values)} samples with {len(labels)} task labels.")
    if np.isnan(values).any():
        raise ValueError("Got NaN among the values. Decide in sight what a missing value counts.")
    names, codes = np.unique(labels, return_inverse=True)
    order = np.argsort(codes, kind="stable")
    sizes = np.bincount(codes)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    rows = values.reshape(len(values), -1)[order]
    return Clusters(rows, names, starts, sizes)


def mean_share(sums: Array, n: Array) -> Array:
    """Terms of the mean over tasks of sums / n, column by column."""
    share = sums / n[..., None]
    return np.stack([share, np.ones_like(share)], axis=-1)


def compute_metrics(data: Clusters, terms: Terms = mean_share) -> Array:
    """The metrics of the data themselves."""
    return _divide_terms(terms(data.sums, data.sizes).sum(axis=0))


def bootstrap_intervals(
    data: Clusters,
    terms: Terms = mean_share,
    *,
    rng: np.random.Generator,
    n_boot: int = 5000,
    level: float = 0.95,
    within: bool = True,
) -> tuple[Interval, ...]:
    """One percentile interval per metric of `terms`.

    within=False resamples tasks only, as DualGauge's appendix E.3 does. The second stage counts the
    chance in drawing samples a second time: its intervals are a little wider.
    """
    drawn = resample_metrics(data, terms, rng=rng, n_boot=n_boot, within=within)
    return _build_intervals(compute_metrics(data, terms), drawn, level, within)


def resample_metrics(
    data: Clusters,
    terms: Terms = mean_share,
    *,
    rng: np.random.Generator,
    n_boot: int = 5000,
    within: bool = True,
) -> Array:
    """The metrics of n_boot resamples, or of somewhat fewer for few tasks: (resamples, metrics)."""
    picks = _pick_tasks(data, n_boot, rng)
    return _divide_terms(_resample_terms(data, terms, picks, rng, within))


def paired_bootstrap(
    first: Clusters,
    second: Clusters,
    *,
    rng: np.random.Generator,
    n_boot: int = 5000,
    level: float = 0.95,
    within: bool = True,
) -> tuple[Interval, ...]:
    """Intervals of first - second, column by column, on the same tasks.

    Both sides get the same drawn tasks, so the difficulty of a task cancels; the samples within a
    task are drawn for each side independently.
    """
    if not np.array_equal(first.names, second.names):
        lone = sorted(map(str, set(first.names) ^ set(second.names)))
        raise ValueError(
            f"{len(lone)} tasks are on one side only ({', '.join(lone[:3])}). "
            "A paired comparison needs the same tasks on both sides: keep the common ones."
        )
    picks = _pick_tasks(first, n_boot, rng)
    one, two = (
        _divide_terms(_resample_terms(x, mean_share, picks, rng, within)) for x in (first, second)
    )
    return _build_intervals(
        compute_metrics(first) - compute_metrics(second), one - two, level, within
    )


def _divide_terms(terms: Array) -> Array:
    part = terms[..., 0]
    whole = terms[..., 1]
    return np.where(whole == 0, np.nan, part / np.where(whole == 0, 1, whole))


def _pick_tasks(data: Clusters, n_boot: int, rng: np.random.Generator) -> Array:
    """The tasks of each resample: (n_boot, tasks); ValueError where resampling makes no sense."""
    tasks = len(data.names)
    if tasks < 2:
        raise ValueError(
            "Got 1 task: an interval over tasks needs 2 or more. Add tasks, or use stats.wilson "
            "for the samples of one task."
        )
    if n_boot < 1:
        raise ValueError(f"Got n_boot = {n_boot}. Use a whole number from 1 on, such as 5000.")
    if tasks**tasks <= n_boot:  # so few that every resample is taken, each equally often
        every = np.indices((tasks,) * tasks, dtype=np.int32).reshape(tasks, -1).T
        return np.tile(every, (n_boot // len(every), 1))
    return rng.integers(tasks, size=(n_boot, tasks), dtype=np.int32)


def _resample_terms(
    data: Clusters, terms: Terms, picks: Array, rng: np.random.Generator, within: bool
) -> Array:
    """The terms summed over the drawn tasks: (n_boot, metrics, 2)."""
    tasks = len(data.names)
    if not within or data.sizes.max() == 1:
        table = terms(data.sums, data.sizes)
        return _sum_picked_rows(table.reshape(tasks, -1), picks).reshape(
            len(picks), *table.shape[1:]
        )
    table = terms(_redraw_samples(data, rng), data.sizes)
    flat = table.reshape(POOL * tasks, -1)
    copies = tasks * rng.integers(POOL, size=picks.shape, dtype=np.int32)
    return _sum_picked_rows(flat, picks + copies).reshape(len(picks), *table.shape[2:])


def _sum_picked_rows(table: Array, picks: Array) -> Array:
    """table[picks].sum(axis=1), exactly, without holding table[picks] in memory.

    A sparse product adds up the drawn rows without copying them.
    """
    tasks = picks.shape[1]
    step = max(1, CELLS // picks.shape[1])
    starts = tasks * np.arange(step + 1, dtype=np.int32)
    once = np.ones(step * tasks)
    parts = []
    for rows in np.split(picks, range(step, len(picks), step)):
        size = len(rows)
        drawn = csr_array((once[: rows.size], rows.ravel(), starts[: size + 1]), (size, len(table)))
        parts.append(drawn @ table)
    return np.concatenate(parts)


def _redraw_samples(data: Clusters, rng: np.random.Generator) -> Array:
    """Per task, POOL sums, each over as many samples as the task has, drawn with replacement."""
    sums = [
        data.values[start + rng.integers(size, size=(POOL, size))].sum(axis=1)
        for start, size in zip(data.starts, data.sizes, strict=True)
    ]
    return np.stack(sums, axis=1)


def _build_intervals(
    point: Array, draws: Array, level: float, within: bool
) -> tuple[Interval, ...]:
    unit = "task, sample" if within else "task"
    return tuple(
        percentile_interval(float(p), draws[:, i], level, unit) for i, p in enumerate(point)
    )


def percentile_interval(point: float, draws: Array, level: float, unit: str) -> Interval:
    """The interval between percentiles of the draws, shifted so that their mean is the estimate.

    Drawing n of n samples with replacement repeats some, which lowers at-k values for k > 1. No
    limit leaves the range of the draws and the estimate.
    """
    draws = draws[~np.isnan(draws)]
    if np.isnan(point) or not draws.size:
        return Interval(point, np.nan, np.nan, level, 0, unit)
    tails = [(1 - level) / 2, (1 + level) / 2]
    shifted = np.quantile(draws + (point - draws.mean()), tails)
    low, high = np.clip(shifted, min(draws.min(), point), max(draws.max(), point))
    return Interval(point, float(low), float(high), level, draws.size, unit)
