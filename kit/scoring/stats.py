"""Intervals and exact tests for shares of tasks; every test is two-sided.

The intervals that resample tasks are in bootstrap.py.
"""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

Array = NDArray[Any]
FLIPS = 10_000  # random signs where all are too many


@dataclass(frozen=True)
class Interval:
    """An estimate with its limits. n_boot: the resamples that it rests on (0: a closed form)."""

    estimate: float
    low: float
    high: float
    level: float
    n_boot: int
    unit: str  # what was resampled or counted: "task", "task, sample", "trial"

    def __str__(self) -> str:
        return f"{self.estimate:.3f} [{self.low:.3f}, {self.high:.3f}]"


def seed(name: str) -> np.random.Generator:
    """A generator that depends on the text alone: the same name gives the same draws everywhere."""
    digest = hashlib.sha256(name.encode()).digest()
    return np.random.default_rng(int.from_bytes(digest[:16], "big"))


def half_of(name: str, halves: Sequence[str], *, byte: int = 0) -> str:
    """One of two halves, by the parity of a byte of the name's SHA-256: it never changes."""
    return halves[hashlib.sha256(name.encode()).digest()[byte] % 2]


def wilson_interval(
    successes: int, n: int, *, level: float = 0.95, unit: str = "trial"
) -> Interval:
    """The score interval of a share of n independent trials; not for samples that share tasks."""
    if not 0 <= successes <= n or n < 1:
        raise ValueError(f"Got {successes} of {n}. Use 0 <= successes <= n and n >= 1.")
    z = _normal_quantile(level)
    p = successes / n
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    low = middle - half if successes else 0.0
    high = middle + half if successes < n else 1.0
    return Interval(p, low, high, level, 0, unit)


def sign_test(differences: ArrayLike) -> float:
    """Exact p of the hypothesis that a difference is as often above 0 as below; ties left out."""
    d = np.asarray(differences, dtype=float)
    if np.isnan(d).any():
        raise ValueError(f"{int(np.isnan(d).sum())} differences are NaN. Drop them in sight first.")
    above = int((d > 0).sum())
    below = int((d < 0).sum())
    return min(1.0, 2 * float(special.bdtr(min(above, below), above + below, 0.5)))


def sign_flip(differences: ArrayLike, *, rng: np.random.Generator) -> float:
    """p of the hypothesis that each difference is as likely with the other sign: the share of
    random signs with a mean at least as far from 0. With 12 differences or fewer all signs are
    tried, and p is exact; otherwise it is (1 + hits) / (1 + FLIPS)."""
    d = np.asarray(differences, dtype=float)
    d = d[d != 0]
    if not d.size:
        return 1.0
    if d.size <= 12:
        bits = np.arange(2**d.size)[:, None] >> np.arange(d.size) & 1
        sums = (1 - 2 * bits) @ d
        return float(np.mean(np.abs(sums) >= abs(d.sum()) - 1e-12))
    sums = rng.choice((-1.0, 1.0), size=(FLIPS, d.size)) @ d
    return float((1 + np.sum(np.abs(sums) >= abs(d.sum()) - 1e-12)) / (1 + FLIPS))


def apply_holm(p: ArrayLike) -> Array:
    """Holm's adjusted p: the running maximum of (m - rank) p over ascending p, at most 1.

    NaN is no test: it stays, and is not among the m.
    """
    p = np.asarray(p, dtype=float)
    order = np.argsort(p, kind="stable")[: np.isfinite(p).sum()]
    adjusted = np.full_like(p, np.nan)
    adjusted[order] = np.maximum.accumulate(p[order] * np.arange(order.size, 0, -1))
    return np.asarray(np.minimum(adjusted, 1.0))


def mcnemar_power(n: int, difference: float, *, discordant: float, level: float = 0.95) -> float:
    """The chance that McNemar's exact test on n tasks finds a true difference of two shares.

    discordant: the share of tasks on which the two differ, at least |difference|. Exact: summed
    over the number m of discordant tasks, and the split of m.
    """
    d = abs(difference)
    if n < 1 or not d <= discordant <= 1:
        raise ValueError(
            f"Got n = {n}, difference = {difference}, discordant = {discordant}. "
            "Use n >= 1 and |difference| <= discordant <= 1."
        )
    if discordant == 0:
        return 0.0
    m = np.arange(n + 1)
    limit = _find_critical_counts(m, (1 - level) / 2)
    share = (1 + d / discordant) / 2
    power = _binomial_probability(limit, m, share) + _binomial_probability(limit, m, 1 - share)
    log_mass = special.gammaln(n + 1) - special.gammaln(m + 1) - special.gammaln(n - m + 1)
    log_mass += special.xlogy(m, discordant) + special.xlog1py(n - m, -discordant)
    return float(np.sum(np.exp(log_mass) * power))


def smallest_detectable_difference(
    n: int, *, discordant: float | None = None, level: float = 0.95, power: float = 0.8
) -> float:
    """The smallest difference of two shares that n paired tasks show with `power` (McNemar, exact).

    discordant: the share of tasks on which the two differ; None takes the best case, where every
    such task favours the same side, so that no smaller difference could have shown. Infinite
    where not even the largest possible difference is found with that power.
    """
    low = 0.0
    high = 1.0 if discordant is None else discordant
    if mcnemar_power(n, high, discordant=high, level=level) < power:
        return math.inf
    for _ in range(50):
        middle = (low + high) / 2
        share = middle if discordant is None else discordant
        is_shown = mcnemar_power(n, middle, discordant=share, level=level) >= power
        low, high = (low, middle) if is_shown else (middle, high)
    return high


def detectable_difference(
    standard_error: float, *, level: float = 0.95, power: float = 0.8
) -> float:
    """(z_level + z_power) * standard error: the smallest difference shown with `power`.

    For differences that are nearly normal, such as a mean over many tasks with several samples.
    """
    return (_normal_quantile(level) + float(special.ndtri(power))) * standard_error


def _normal_quantile(level: float) -> float:
    if not 0 < level < 1:
        raise ValueError(f"Got level = {level}. Use a share between 0 and 1, such as 0.95.")
    return float(special.ndtri(0.5 + level / 2))


def _find_critical_counts(m: Array, tail: float) -> Array:
    """For each m, the largest x with P(Bin(m, 1/2) <= x) <= tail; -1 where there is none."""
    x = np.floor(np.nan_to_num(special.bdtrik(tail, m, 0.5), nan=-1.0))
    x = np.where(_binomial_probability(x, m, 0.5) > tail, x - 1, x)
    return np.asarray(np.where(_binomial_probability(x + 1, m, 0.5) <= tail, x + 1, x))


def _binomial_probability(x: Array, m: Array, share: float) -> Array:
    """P(Bin(m, share) <= x), and 0 for x < 0."""
    return np.where(x < 0, 0.0, special.bdtr(np.clip(x, 0, m), m, share))
