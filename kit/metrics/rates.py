"""Precision, recall and F1 of one class from counts; how many insecure programs an engine finds."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from kit.metrics.stats import wilson

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


def precision_recall_f1(tp: int, fp: int, fn: int) -> dict[str, float | None]:
    """RATES by name; None where a denominator is 0."""
    pairs = terms(tp, fp, fn).tolist()
    values = (part / whole if whole else None for part, whole in pairs)
    return dict(zip(RATES, values, strict=True))


def recall(rows: pd.DataFrame, by: Sequence[str]) -> list[dict[str, Any]]:
    """For each group its programs, found, missed, unread; recall = found / programs; of those read.

    rows: a row per program labelled insecure with `outcome`: fail is found, pass is missed, all
    else is unread, and so not found. Intervals are Wilson's over programs, one of each task.
    """
    if not len(rows):
        return []
    groups = rows.groupby(list(by), sort=True) if by else [((), rows)]
    return [{**dict(zip(by, key, strict=True)), **_recalled(part)} for key, part in groups]


def _recalled(rows: pd.DataFrame) -> dict[str, Any]:
    failed, missed = (int((rows["outcome"] == outcome).sum()) for outcome in ("fail", "pass"))
    counts = {"programs": len(rows), "found": failed, "missed": missed}
    shares: dict[str, float] = {}
    for name, of in {"recall": len(rows), "of_decided": failed + missed}.items():
        if of:
            i = wilson(failed, of, unit="program (Wilson)")
            shares |= {name: i.estimate, f"{name}_low": i.low, f"{name}_high": i.high}
    return counts | {"unread": len(rows) - failed - missed} | shares


def text(rows: Sequence[dict[str, Any]]) -> str:
    """`recall` for a terminal."""
    return str(pd.DataFrame(rows).round(3).to_string(index=False, na_rep="-"))
