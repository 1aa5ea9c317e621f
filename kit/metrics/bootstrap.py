"""Bootstrap over tasks, then over the samples within each drawn task.

The tasks of a benchmark are the units that could have been others; samples of one task are alike,
so resampling rows would give intervals that are too short. Arrays only; vectorised over resamples.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kit.metrics.stats import Interval

Array = NDArray[Any]
# sums (..., tasks, columns) over the samples of a task, and their number n (..., tasks), become
# (..., metrics): with leading axes for resamples, without for the data themselves.
Statistic = Callable[[Array, Array], Array]
CELLS = 1_000_000  # samples drawn at once: bounds the memory, not the result


@dataclass(frozen=True)
class Clusters:
    """Samples sorted by task: values (samples + 1, columns) with a last row of zeros, per task
    its name, its first row and its number of rows."""

    values: Array
    names: Array
    starts: Array
    sizes: Array

    @property
    def sums(self) -> Array:
        return np.add.reduceat(self.values, self.starts, axis=0)


def clusters(values: ArrayLike, labels: ArrayLike) -> Clusters:
    """Group one row of numbers a sample (or one number) by the task in `labels`."""
    values, labels = np.asarray(values, dtype=float), np.asarray(labels)
    if len(values) != len(labels) or not len(values):
        raise ValueError(f"Got {len(values)} samples with {len(labels)} task labels.")
    if np.isnan(values).any():
        raise ValueError("Got NaN among the values. Decide in sight what a missing value counts.")
    names, codes = np.unique(labels, return_inverse=True)
    order = np.argsort(codes, kind="stable")
    sizes = np.bincount(codes)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    rows = values.reshape(len(values), -1)[order]
    return Clusters(np.vstack([rows, np.zeros(rows.shape[1])]), names, starts, sizes)


def mean_share(sums: Array, n: Array) -> Array:
    """The mean over tasks of sums / n, column by column."""
    return (sums / n[..., None]).mean(axis=-2)


def pooled_share(sums: Array, n: Array) -> Array:
    """The sum over tasks of sums / the sum of n, column by column."""
    return sums.sum(axis=-2) / n.sum(axis=-1)[..., None]


def bootstrap(
    data: Clusters,
    statistic: Statistic = mean_share,
    *,
    rng: np.random.Generator,
    n_boot: int = 5000,
    level: float = 0.95,
    within: bool = True,
) -> tuple[Interval, ...]:
    """One percentile interval per metric that `statistic` returns.

    within=False resamples tasks only, as DualGauge's appendix E.4 does. The second stage counts the
    chance in drawing samples a second time: its intervals are a little wider.
    """
    _refuse_few(data)
    drawn = draws(data, statistic, rng=rng, n_boot=n_boot, within=within)
    return _intervals(statistic(data.sums, data.sizes), drawn, level, _unit(within))


def draws(
    data: Clusters,
    statistic: Statistic = mean_share,
    *,
    rng: np.random.Generator,
    n_boot: int = 5000,
    within: bool = True,
) -> Array:
    """`statistic` of n_boot resamples: (n_boot, metrics)."""
    _refuse_few(data)
    parts = [
        statistic(*_draw(data, picks, rng, within))
        for picks in _picks(len(data.names), data.sizes.max(), n_boot, rng)
    ]
    return np.concatenate(parts)


def paired_bootstrap(
    first: Clusters,
    second: Clusters,
    statistic: Statistic = mean_share,
    *,
    rng: np.random.Generator,
    n_boot: int = 5000,
    level: float = 0.95,
    within: bool = True,
) -> tuple[Interval, ...]:
    """Intervals of statistic(first) - statistic(second) on the same tasks.

    Both sides get the same drawn tasks, so what a hard task costs both cancels; the samples within
    are drawn for each side on its own.
    """
    if not np.array_equal(first.names, second.names):
        odd = sorted(map(str, set(first.names) ^ set(second.names)))
        raise ValueError(
            f"{len(odd)} tasks are on one side only ({', '.join(odd[:3])}, ...). "
            "A paired comparison needs the same tasks on both sides: keep the common ones."
        )
    _refuse_few(first)
    point = statistic(first.sums, first.sizes) - statistic(second.sums, second.sizes)
    width = max(first.sizes.max(), second.sizes.max())
    parts = [
        statistic(*_draw(first, picks, rng, within)) - statistic(*_draw(second, picks, rng, within))
        for picks in _picks(len(first.names), width, n_boot, rng)
    ]
    return _intervals(point, np.concatenate(parts), level, _unit(within))


def _refuse_few(data: Clusters) -> None:
    if len(data.names) < 2:
        raise ValueError(
            "Got 1 task: an interval over tasks needs 2 or more. Add tasks, or use stats.wilson "
            "for the samples of one task."
        )


def _picks(tasks: int, width: int, n_boot: int, rng: np.random.Generator) -> Iterator[Array]:
    step = max(1, CELLS // int(tasks * width))
    for start in range(0, n_boot, step):
        yield rng.integers(tasks, size=(min(step, n_boot - start), tasks))


def _draw(data: Clusters, picks: Array, rng: np.random.Generator, within: bool) -> tuple:
    n = data.sizes[picks]
    if not within or data.sizes.max() == 1:
        return data.sums[picks], n
    place = np.arange(data.sizes.max())
    rows = (rng.random((*n.shape, len(place)), dtype=np.float32) * n[..., None]).astype(np.int32)
    rows = np.minimum(rows, n[..., None] - 1) + data.starts[picks][..., None]
    rows = np.where(place < n[..., None], rows, len(data.values) - 1)
    return data.values[rows].sum(axis=-2), n


def _unit(within: bool) -> str:
    return "task, sample" if within else "task"


def _intervals(point: Array, draws: Array, level: float, unit: str) -> tuple[Interval, ...]:
    return tuple(
        _interval(float(p), draws[:, i], level, unit) for i, p in enumerate(np.atleast_1d(point))
    )


def _interval(point: float, draws: Array, level: float, unit: str) -> Interval:
    """Percentiles of the defined draws, shifted so that their mean is the estimate.

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
