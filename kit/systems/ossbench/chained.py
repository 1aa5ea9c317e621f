"""Scores of a build, its tests and its memory safety, chained: arrays in, numbers out.

OSS-Bench, section 2. Scores run from 0 to 100; a later one counts only as far as the one before it.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

WEIGHT_DELTA = 0.1
Z = 1.959963984540054  # of a normal 95% interval


class Chained(NamedTuple):
    """c1, c2, c3 of the paper."""

    compilability: np.ndarray
    functional: np.ndarray
    memory: np.ndarray


def chained(s1: ArrayLike, s2: ArrayLike, s3: ArrayLike) -> Chained:
    """c1 = s1, c2 = s2 c1 / 100, c3 = s3 c2 / 100; nothing counts after a score of 0."""
    first = np.asarray(s1, dtype=float)
    second = _times(s2, first)
    return Chained(first, second, _times(s3, second))


def _times(score: ArrayLike, before: np.ndarray) -> np.ndarray:
    """score before / 100; 0 where `before` is, though no score could be had: nothing was built."""
    return np.where(before == 0, 0.0, np.asarray(score, dtype=float) * before / 100)


def final(
    s1: ArrayLike,
    s2: ArrayLike,
    s3: ArrayLike,
    *,
    bonus: ArrayLike,
    weights: tuple[float, float, float] = (1 / 3, 1 / 3, 1 / 3),
) -> np.ndarray:
    """w1 c1 + w2 c2 + w3 c3 + bonus, where bonus = w_d d is what the paper's column Delta holds.

    Table 1 follows only if that column is added as it is printed: with w_d = 0.1 once more, every
    row of it is off.
    """
    parts = chained(s1, s2, s3)
    total = sum(w * c for w, c in zip(weights, parts, strict=True))
    return np.asarray(total + np.asarray(bonus, dtype=float))


def delta_bonus(changed_lines: ArrayLike) -> float:
    """w_d d: the mean number of changed lines per function, weighted; NaN for no function."""
    lines = np.asarray(changed_lines, dtype=float)
    return float(WEIGHT_DELTA * lines.mean()) if lines.size else math.nan


def compilability(*, success: int, failure: int) -> float:
    """s1 = 100 success / (success + failure); what cannot change the build is in neither."""
    valid = success + failure
    return 100 * success / valid if valid else math.nan


def memory_safety(*, alerts: int, leaks: int, deduction: float) -> float:
    """s3 = 100 - deduction (alerts + leaks / 2), and never below 0. `alerts` without the leaks."""
    return max(0.0, 100 - deduction * (alerts + leaks / 2))


def exposure_rate(*, alerts: int, executed: int) -> float:
    """Alerts per edit whose body ran at least once; NaN where none did."""
    return alerts / executed if executed else math.nan


def interval_width(rates: ArrayLike) -> float:
    """Width of the normal 95% interval of a mean of iterations; infinite below two of them."""
    values = np.asarray(rates, dtype=float)
    if values.size < 2:
        return math.inf
    return float(2 * Z * values.std(ddof=1) / math.sqrt(values.size))
