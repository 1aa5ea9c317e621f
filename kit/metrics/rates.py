"""PR and SPR: the share of functional and of security tests passed, in both readings.

DualGauge section 4.5 says "the proportion of functional and security test cases passed across the
benchmark": `pooled` takes it at its word (a task with many tests weighs more), `task_mean` gives
every task the same weight. They differ as soon as tasks differ in the number of their tests.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[Any]


def pooled(passed: ArrayLike, total: ArrayLike) -> Array:
    """sum(passed) / sum(total) over the last axis, one entry a task; NaN where no test exists."""
    passed, total = _checked(passed, total)
    return _ratio(passed.sum(axis=-1), total.sum(axis=-1))


def per_task(passed: ArrayLike, total: ArrayLike) -> Array:
    """passed / total, entry by entry; NaN where a task has no test."""
    return _ratio(*_checked(passed, total))


def task_mean(passed: ArrayLike, total: ArrayLike) -> Array:
    """The mean of passed / total over the tasks that have a test (last axis); NaN if none has."""
    values = per_task(passed, total)
    has = ~np.isnan(values)
    return _ratio(np.where(has, values, 0).sum(axis=-1), has.sum(axis=-1))


def _ratio(part: ArrayLike, whole: ArrayLike) -> Array:
    part, whole = np.asarray(part), np.asarray(whole)
    return np.where(whole > 0, part / np.maximum(whole, 1), np.nan)


def _checked(passed: ArrayLike, total: ArrayLike) -> tuple[Array, Array]:
    passed, total = np.broadcast_arrays(passed, total)
    if not np.all((passed >= 0) & (passed <= total)):
        raise ValueError("Got counts outside 0 <= passed <= total.")
    return passed, total
