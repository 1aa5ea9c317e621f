"""Precision, recall and F1 of one class: from counts, and of engines on labelled programs."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from kit.metrics.bootstrap import Clusters, bootstrap, clusters, value
from kit.metrics.stats import Interval, seed, wilson

Array = NDArray[Any]
RATES = ("precision", "recall", "f1")


def terms(tp: ArrayLike, fp: ArrayLike, fn: ArrayLike) -> Array:
    """(part, whole) of each of RATES on the two last axes.

    precision = tp / (tp + fp), recall = tp / (tp + fn), F1 = 2 tp / (2 tp + fp + fn).
    """
    tp, fp, fn = np.asarray(tp), np.asarray(fp), np.asarray(fn)
    pairs = ((tp, tp + fp), (tp, tp + fn), (2 * tp, 2 * tp + fp + fn))
    return np.stack([np.stack(pair, axis=-1) for pair in pairs], axis=-2)


def terms_of_sums(sums: Array, n: Array) -> Array:  # noqa: ARG001 - the bootstrap's signature
    """`terms` of what a bootstrap has summed; the sums begin with tp, fp, fn."""
    return terms(sums[..., 0], sums[..., 1], sums[..., 2])


def limits(
    data: Clusters, *, rng: np.random.Generator, n_boot: int, level: float = 0.95
) -> list[Interval]:
    """RATES with intervals that resample tasks, or without limits where there is one task.

    data: sums that begin with tp, fp, fn.
    """
    if len(data.names) < 2:
        point = value(data, terms_of_sums)
        return [Interval(float(p), np.nan, np.nan, level, 0, "none") for p in point]
    return list(bootstrap(data, terms_of_sums, rng=rng, n_boot=n_boot, level=level, within=False))


def precision_recall_f1(tp: int, fp: int, fn: int) -> dict[str, float | None]:
    """RATES by name; None where a denominator is 0."""
    pairs = terms(tp, fp, fn).tolist()
    values = (part / whole if whole else None for part, whole in pairs)
    return dict(zip(RATES, values, strict=True))


def detection(rows: pd.DataFrame, by: Sequence[str], *, n_boot: int = 2000) -> list[dict[str, Any]]:
    """Precision, recall, F1 of each `engine`, in all and for each value of each column of `by`.

    rows: a row per program with `task`, `engine`, `label` and `outcome`. A positive is a program
    labelled fail; it is found if its outcome is fail. `unread` counts unknown outcomes. Intervals
    resample tasks. With one task, or where all resamples are equal, precision and recall have
    Wilson's intervals over programs, which are too narrow, because programs of one task are alike.
    """
    table = []
    for engine, part in rows.groupby("engine", sort=False):
        groups = {"all": part}
        for column in by:
            groups |= {str(k): g for k, g in part.groupby(column, sort=True)}
        table += [{"engine": engine, "of": k, **_detected(g, n_boot)} for k, g in groups.items()]
    return table


def _detected(rows: pd.DataFrame, n_boot: int) -> dict[str, Any]:
    bad, alarmed = rows["label"] == "fail", rows["outcome"] == "fail"
    counts = np.stack([bad & alarmed, ~bad & alarmed, bad & ~alarmed], axis=1).astype(float)
    data = clusters(counts, rows["task"].to_numpy())
    tp, fp, fn = (int(n) for n in counts.sum(axis=0))
    intervals = limits(data, rng=seed("engines"), n_boot=n_boot)
    for n, of in enumerate((tp + fp, tp + fn)):
        if of and not intervals[n].low < intervals[n].high:
            intervals[n] = wilson(tp, of, unit="program (Wilson)")
    row: dict[str, Any] = {"programs": len(rows), "tasks": len(data.names)}
    row |= {"tp": tp, "fp": fp, "fn": fn, "unread": int((rows["outcome"] == "unknown").sum())}
    for name, i in zip(RATES, intervals, strict=True):
        row |= {name: i.estimate, f"{name}_low": i.low, f"{name}_high": i.high}
    return row
