"""Intervals where a part is unknown: the data allow a set of values, not one (Manski 2003)."""

from dataclasses import dataclass, replace
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


@dataclass(frozen=True)
class End:
    """One end of what the data allow: a share, its resamples, its skewness over tasks.

    skew: the third moment of the tasks' influences over the second's power 3/2 (`skew_of`).
    """

    value: float
    draws: Array
    skew: float = 0.0

    def beyond(self, share: float) -> float:
        """The limit that all but `share` of what resampling shows lies above (BCa: Efron 1987).

        A limit on one side needs the correction for skewness: the errors of two sides cancel.
        """
        draws = self.draws[~np.isnan(self.draws)]
        shifted = draws + (self.value - draws.mean())
        below = (shifted < self.value).mean() / 2 + (shifted <= self.value).mean() / 2
        bias = special.ndtri(np.clip(below, 0.01, 0.99))
        z = bias + special.ndtri(share)
        share = float(special.ndtr(bias + z / (1 - self.skew / 6 * z)))
        return float(np.clip(np.quantile(shifted, share), 0, 1))


def skew_of(parts: Array, wholes: Array) -> float:
    """The skewness of the influences that single tasks have on sum(parts) / sum(wholes)."""
    if not wholes.sum():
        return 0.0
    pull = parts - parts.sum() / wholes.sum() * wholes
    spread = float((pull**2).sum()) ** 1.5
    return float((pull**3).sum()) / spread if spread > 0 else 0.0


def interval(low: End, high: End, *, level: float, unit: str) -> Interval:
    """[low - c se, high + c se] in percentiles: holds the true value with chance `level` or more.

    low, high: the least and the greatest value that the data allow. Covered is the true value
    wherever between them it lies; with chance `level` at an end of a wide set, with more inside it.
    The estimate is NaN: the data name none. A set of one point has the ordinary percentile
    interval.
    """
    if np.isnan(low.value) or np.isnan(high.value):
        return Interval(np.nan, np.nan, np.nan, level, 0, unit)
    if low.value == high.value:
        return replace(percentile(low.value, low.draws, level, unit), estimate=np.nan)
    count = int((~np.isnan(low.draws)).sum())
    if not count:
        return Interval(np.nan, np.nan, np.nan, level, 0, unit)
    error = max(float(np.nanstd(end.draws)) for end in (low, high))
    share = tail(high.value - low.value, error, level=level)
    return Interval(np.nan, low.beyond(share), high.beyond(1 - share), level, count, unit)
