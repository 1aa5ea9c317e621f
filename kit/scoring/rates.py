"""Precision, recall and F1 of one class: from counts, and of engines on labelled programs."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from kit.scoring.bootstrap import bootstrap_intervals, compute_metrics, group_by_task
from kit.scoring.stats import Interval, seed, wilson_interval

Array = NDArray[Any]
RATES = ("precision", "recall", "f1")


def count_confusion(
    rows: pd.DataFrame, *, positive: str = "fail", outcome: str = "outcome", is_missed: bool = False
) -> pd.DataFrame:
    """tp, fp, fn, tn and undecided of each row, as 0 or 1, from its `label` and its outcome.

    positive: the label that is to be found. An outcome that is neither pass nor fail is undecided;
    is_missed: on a positive it is also an fn, because it did not find it. outcome: its column. A
    column `weight` says as how many rows each of them counts.
    """
    real = rows["label"] == positive
    alarm = rows[outcome] == positive
    decided = rows[outcome].isin(["pass", "fail"])
    counts = {
        "tp": real & alarm,
        "fp": ~real & alarm,
        "fn": real & ~alarm & (decided | is_missed),
        "tn": ~real & ~alarm & decided,
        "undecided": ~decided,
    }
    table = pd.DataFrame(counts).astype(int)
    return table.mul(rows["weight"], axis=0) if "weight" in rows else table


def rate_terms(tp: ArrayLike, fp: ArrayLike, fn: ArrayLike) -> Array:
    """(part, whole) of each of RATES on the two last axes.

    precision = tp / (tp + fp), recall = tp / (tp + fn), F1 = 2 tp / (2 tp + fp + fn).
    """
    tp = np.asarray(tp)
    fp = np.asarray(fp)
    fn = np.asarray(fn)
    pairs = ((tp, tp + fp), (tp, tp + fn), (2 * tp, 2 * tp + fp + fn))
    return np.stack([np.stack(pair, axis=-1) for pair in pairs], axis=-2)


def terms_of_sums(sums: Array, n: Array) -> Array:  # noqa: ARG001 - the bootstrap's signature
    """`rate_terms` of what a bootstrap has summed; the sums begin with tp, fp, fn."""
    return rate_terms(sums[..., 0], sums[..., 1], sums[..., 2])


def bootstrap_rates(
    counts: pd.DataFrame,
    tasks: pd.Series,
    *,
    rng: np.random.Generator,
    n_boot: int,
    level: float = 0.95,
) -> dict[str, Interval]:
    """RATES of the columns tp, fp, fn with intervals that resample tasks; one task gives none."""
    data = group_by_task(counts[["tp", "fp", "fn"]], tasks)
    if len(data.names) > 1:
        intervals = bootstrap_intervals(
            data, terms_of_sums, rng=rng, n_boot=n_boot, level=level, within=False
        )
        return dict(zip(RATES, intervals, strict=True))
    points = zip(RATES, compute_metrics(data, terms_of_sums), strict=True)
    return {name: Interval(float(p), np.nan, np.nan, level, 0, "none") for name, p in points}


def precision_recall_f1(tp: int, fp: int, fn: int) -> dict[str, float | None]:
    """RATES by name; None where a denominator is 0."""
    pairs = rate_terms(tp, fp, fn).tolist()
    values = (part / whole if whole else None for part, whole in pairs)
    return dict(zip(RATES, values, strict=True))


def measure_detection(
    rows: pd.DataFrame, by: Sequence[str], *, n_boot: int = 2000
) -> list[dict[str, Any]]:
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
        table += [
            {"engine": engine, "of": k, **_measure_group(g, n_boot)} for k, g in groups.items()
        ]
    return table


def _measure_group(rows: pd.DataFrame, n_boot: int) -> dict[str, Any]:
    counts = count_confusion(rows, is_missed=True)
    tp, fp, fn, _, undecided = counts.sum().tolist()
    intervals = bootstrap_rates(counts, rows["task"], rng=seed("engines"), n_boot=n_boot)
    for name, of in (("precision", tp + fp), ("recall", tp + fn)):
        if of and not intervals[name].low < intervals[name].high:
            intervals[name] = wilson_interval(tp, of, unit="program (Wilson)")
    row: dict[str, Any] = {"programs": len(rows), "tasks": rows["task"].nunique()}
    row |= {"tp": tp, "fp": fp, "fn": fn, "unread": undecided}
    for name, i in intervals.items():
        row |= {name: i.estimate, f"{name}_low": i.low, f"{name}_high": i.high}
    return row
