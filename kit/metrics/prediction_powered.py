"""Prediction-powered inference: a few true values and many judged ones (Angelopoulos et al. 2023).

The judged values of all units carry the precision, the true values of some correct their bias; no
calibration from elsewhere is needed, and a bad judge only widens the interval.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from kit.metrics.stats import Interval, wilson

Array = NDArray[Any]


def mean(
    truth: ArrayLike, judged: ArrayLike, others: ArrayLike, *, level: float = 0.95
) -> Interval:
    """mean(truth - w judged) + w mean(others): the mean of true values over all units.

    truth, judged: both values of each labelled unit; others: the judged values of the units without
    label. Units are independent (tasks, not samples of one task), and the labelled ones a random
    choice. w in [0, 1] makes the variance least (Angelopoulos, Duchi, Zrnic 2023, PPI++): 0 leaves
    the judge out. Student's t with as many degrees as labels less one.
    """
    y, f, g = (_checked(v, name) for v, name in
               ((truth, "truth"), (judged, "judged"), (others, "others")))  # fmt: skip
    if y.shape != f.shape or len(y) < 2 or len(g) < 2:
        raise ValueError(
            f"Got {len(y)} true and {len(f)} judged values of labelled units, {len(g)} of others. "
            "Give as many true as judged ones, and two or more of each kind."
        )
    w = weight(y, f, g)
    estimate = float((y - w * f).mean() + w * g.mean())
    error = math.sqrt((y - w * f).var(ddof=1) / len(y) + w**2 * g.var(ddof=1) / len(g))
    if error < 1e-12:  # no two units differ: the labels alone say how sure that is
        return wilson(round(float(y.mean()) * len(y)), len(y), level=level, unit="label (Wilson)")
    half = float(special.stdtrit(len(y) - 1, 0.5 + level / 2)) * error
    return Interval(estimate, estimate - half, estimate + half, level, 0, "unit")


def weight(truth: Array, judged: Array, others: Array) -> float:
    """cov(truth, judged) / ((1 + n / N) var(judged)), in [0, 1]; 0 where the judge never varies."""
    variance = np.concatenate([judged, others]).var(ddof=1)
    if variance == 0:
        return 0.0
    shared = np.cov(truth, judged)[0, 1]
    return float(np.clip(shared / ((1 + len(truth) / len(others)) * variance), 0, 1))


def _checked(values: ArrayLike, name: str) -> Array:
    array = np.asarray(values, dtype=float)
    if array.ndim != 1 or np.isnan(array).any():
        raise ValueError(f"Got NaN or a table as `{name}`. Give one number a unit.")
    return array
