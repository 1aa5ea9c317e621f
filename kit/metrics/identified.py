"""Intervals where a part is unknown: the data allow a set of values, not one (Manski 2003)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special

from kit.metrics.bootstrap import percentile
from kit.metrics.stats import Interval

Array = NDArray[Any]


def tail(width: float, error: float, *, level: float = 0.95) -> float:
    """Phi(-c), where Phi(c + width / error) - Phi(-c) = level: what each end may miss.

    (1 - level) / 2 for a set that is a point, 1 - level for a wide one: the true value cannot lie
    beyond both ends at once. error: the larger standard error of the two ends. Imbens and Manski
    2004, eq. 7.
    """
    if width <= 0:
        return (1 - level) / 2
    if error <= 0:
        return 1 - level
    gap = width / error
    c = optimize.brentq(
        lambda c: special.ndtr(c + gap) - special.ndtr(-c) - level,
        0, special.ndtri(0.5 + level / 2) + 1e-9,
    )  # fmt: skip
    return float(special.ndtr(-c))


def interval(
    low: float, high: float, lows: Array, highs: Array, *, level: float, unit: str
) -> Interval:
    """[low - c se, high + c se] in percentiles: holds the true value with chance `level` or more.

    low, high: the least and greatest value that the data allow; lows, highs: both in resamples.
    Covered is the true value wherever in [low, high] it lies; with chance `level` at an end of a
    wide set, with more inside it. The estimate is NaN: the data name none. A set of one point
    has the ordinary percentile interval.
    """
    error = max(_spread(lows), _spread(highs))
    narrower = 1 - 2 * tail(high - low, error, level=level)
    first = percentile(low, lows, narrower, unit)
    last = percentile(high, highs, narrower, unit)
    return Interval(np.nan, first.low, last.high, level, first.n_boot, unit)


def _spread(draws: Array) -> float:
    defined = draws[~np.isnan(draws)]
    return float(defined.std()) if defined.size else 0.0
