"""Precision, recall and F1 of one class, from counts: arrays of any shape, or three numbers."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

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
