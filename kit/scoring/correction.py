"""Corrects a share for the errors and undecided verdicts of its judge.

Errors are corrected by a judge's calibration (Rogan and Gladen 1978), or by a few true values among
the judged ones (prediction-powered inference: Angelopoulos et al. 2023). With undecided verdicts
the data allow a range of values, and the interval covers that range (Manski 2003).
"""

from dataclasses import dataclass, replace
from math import comb, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import optimize, special

from kit.scoring import at_k
from kit.scoring.bootstrap import Clusters, compute_metrics, percentile_interval, resample_metrics
from kit.scoring.stats import Interval, wilson_interval

Array = NDArray[Any]


@dataclass(frozen=True)
class Calibration:
    """A judge against labels: right and wrong verdicts on true passes and on true fails.

    Counts need not be whole: `calibrate_judge` reduces them where errors cluster by task.
    """

    true_pass: float
    false_fail: float
    true_fail: float
    false_pass: float

    def __post_init__(self) -> None:
        if not (self.true_pass + self.false_fail > 0 and self.true_fail + self.false_pass > 0):
            raise ValueError(
                f"{self} has no label of one kind. A correction needs items labelled pass and "
                "items labelled fail."
            )

    @property
    def sensitivity(self) -> float:
        """The share of true passes that the judge calls pass."""
        return self.true_pass / (self.true_pass + self.false_fail)

    @property
    def specificity(self) -> float:
        """The share of true fails that the judge calls fail."""
        return self.true_fail / (self.true_fail + self.false_pass)


def calibrate_judge(verdict: ArrayLike, truth: ArrayLike, groups: ArrayLike) -> Calibration:
    """A judge's verdicts on labelled items as independent counts: counts / design effect.

    verdict, truth: 1 (pass) or 0 (fail) per item; groups: the task of each. The design effect of a
    share is its variance over tasks divided by its binomial variance, at least 1 (Kish 1965). It is
    1 where no verdict or every verdict is wrong, because it cannot be estimated there.
    """
    called = np.asarray(verdict, bool)
    true = np.asarray(truth, bool)
    task = np.asarray(groups)
    if not called.shape == true.shape == task.shape:
        raise ValueError(
            f"Got shapes {called.shape}, {true.shape}, {task.shape}. Give one of each."
        )
    counts = []
    for kind in (True, False):
        right = called[true == kind] == kind
        counts += list(
            np.array([right.sum(), (~right).sum()]) / _design_effect(right, task[true == kind])
        )
    return Calibration(*map(float, counts))


def _design_effect(right: Array, task: Array) -> float:
    share = float(right.mean()) if right.size else 1.0
    n = right.size
    names, codes = np.unique(task, return_inverse=True)
    if share in (0.0, 1.0) or len(names) < 2:
        return 1.0
    sums = np.bincount(codes, weights=right - share)
    clustered = (sums**2).sum() * len(names) / (len(names) - 1)
    return max(1.0, float(clustered / (n * share * (1 - share))))


def corrected_at_k(
    verdicts: Clusters,
    calibration: Calibration,
    *,
    k: int = 1,
    rng: np.random.Generator,
    n_boot: int = 5000,
    level: float = 0.95,
) -> Interval:
    """The mean over tasks of at-k if no sample had been misjudged; a task needs k samples or more.

    verdicts: 1 or 0 a sample, grouped by task. A sample passes with chance q = p s + (1-p)(1-r), s
    and r being sensitivity and specificity of a sample's verdict, so the chance 1 - (1-p)^k is
    1 - sum_i C(k,i) (s-1)^(k-i) E[(1-q)^i] / (s+r-1)^k, and C(n-c,i) / C(n,i) estimates (1-q)^i
    without bias: exactly unbiased for known s and r, and Rogan-Gladen for k = 1. The interval
    resamples tasks and draws s and r from Beta(right + 1/2, wrong + 1/2) each; where all verdicts
    are alike resampling cannot vary, and q is drawn with Jeffreys' prior over tasks. NaN for a
    judge no better than chance.
    """
    if verdicts.sizes.min() < k:
        raise ValueError(at_k.too_few(verdicts.sizes, k=k))

    def compute_terms(sums: Array, n: Array) -> Array:
        """Terms of the mean over tasks of C(n-c, i) / C(n, i) for i = 0 ... k."""
        rows = (1 - at_k.estimate(n, sums[..., 0], k=i) for i in range(1, k + 1))
        share = np.stack([np.ones(sums.shape[:-1]), *rows], axis=-1)
        return np.stack([share, np.ones_like(share)], axis=-1)

    misses = compute_metrics(verdicts, compute_terms)
    drawn = resample_metrics(verdicts, compute_terms, rng=rng, n_boot=n_boot, within=False)
    n_boot = len(drawn)
    if (share := verdicts.values.mean()) in (0, 1):
        tasks = len(verdicts.names)
        chance = rng.beta(share * tasks + 0.5, (1 - share) * tasks + 0.5, n_boot)
        drawn = (1 - chance[:, None]) ** np.arange(k + 1)
    c = calibration  # its two rates are drawn from their posteriors under Jeffreys' prior
    sensitivity = rng.beta(c.true_pass + 0.5, c.false_fail + 0.5, n_boot)
    specificity = rng.beta(c.true_fail + 0.5, c.false_pass + 0.5, n_boot)
    point = float(np.clip(_corrected_share(misses, c.sensitivity, c.specificity), 0, 1))
    shares = _corrected_share(drawn, sensitivity, specificity)
    gain = sensitivity + specificity - 1
    # a draw in which the judge is no better than chance allows every share from 0 to 1
    low = np.quantile(np.where(gain > 0, shares, 0), (1 - level) / 2)
    high = np.quantile(np.where(gain > 0, shares, 1), (1 + level) / 2)
    low, high = np.clip([low, high], 0, 1)
    return Interval(point, float(low), float(high), level, n_boot, "task, label")


def _corrected_share(misses: Array, sensitivity: Any, specificity: Any) -> Array:
    k = misses.shape[-1] - 1
    slip = np.asarray(sensitivity) - 1
    gain = np.asarray(sensitivity) + specificity - 1
    parts = [comb(k, i) * slip ** (k - i) * misses[..., i] for i in range(k + 1)]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(gain > 0, 1 - sum(parts) / gain**k, np.nan)


def prediction_powered(
    truth: ArrayLike, judged: ArrayLike, others: ArrayLike, *, level: float = 0.95
) -> Interval:
    """mean(truth - w judged) + w mean(others): the mean of true values over all units.

    A few true values correct the bias of many judged ones, which carry the precision; a bad judge
    only widens the interval, and no calibration from elsewhere is needed.

    truth, judged: both values of each labelled unit; others: the judged values of the units without
    label. Units are independent (tasks, not samples of one task), and the labelled ones a random
    choice. w in [0, 1] makes the variance least (Angelopoulos, Duchi, Zrnic 2023, PPI++): 0 leaves
    the judge out. Student's t with as many degrees as labels less one.
    """
    y, f, g = (np.asarray(values, dtype=float) for values in (truth, judged, others))
    for values, name in ((y, "truth"), (f, "judged"), (g, "others")):
        if values.ndim != 1 or np.isnan(values).any():
            raise ValueError(f"Got NaN or a table as `{name}`. Give one number a unit.")
    if y.shape != f.shape or len(y) < 2 or len(g) < 2:
        raise ValueError(
            f"Got {len(y)} true and {len(f)} judged values of labelled units, {len(g)} of others. "
            "Give as many true as judged ones, and two or more of each kind."
        )
    w = power_weight(y, f, g)
    estimate = float((y - w * f).mean() + w * g.mean())
    error = sqrt((y - w * f).var(ddof=1) / len(y) + w**2 * g.var(ddof=1) / len(g))
    if error < 1e-12:  # no two units differ: only the number of labels limits the certainty
        return wilson_interval(
            round(float(y.mean()) * len(y)), len(y), level=level, unit="label (Wilson)"
        )
    half = float(special.stdtrit(len(y) - 1, 0.5 + level / 2)) * error
    return Interval(estimate, estimate - half, estimate + half, level, 0, "unit")


def power_weight(truth: Array, judged: Array, others: Array) -> float:
    """cov(truth, judged) / ((1 + n / N) var(judged)) in [0, 1]; 0 where all verdicts are equal."""
    variance = np.concatenate([judged, others]).var(ddof=1)
    if variance == 0:
        return 0.0
    shared = np.cov(truth, judged)[0, 1]
    return float(np.clip(shared / ((1 + len(truth) / len(others)) * variance), 0, 1))


def tail_share(width: float, error: float, *, level: float = 0.95) -> float:
    """Phi(-c), where Phi(c + width / error) - Phi(-c) = level: the share that each end may miss.

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
        0,
        special.ndtri(0.5 + level / 2) + 1e-9,
    )
    return float(special.ndtr(-c))


@dataclass(frozen=True)
class End:
    """One bound of the range that the data allow: a share, its resamples, its skewness over tasks.

    skew: the third moment of the tasks' influences over the second's power 3/2 (`skew_of`).
    """

    value: float
    draws: Array
    skew: float = 0.0

    def beyond(self, share: float) -> float:
        """The limit below which `share` of the resamples lie (BCa: Efron 1987).

        A one-sided limit needs the correction for skewness; in two-sided ones the errors cancel.
        """
        draws = self.draws[~np.isnan(self.draws)]
        shifted = draws + (self.value - draws.mean())
        ties = np.isclose(draws, self.value)  # the shift moves all of them to one side
        below = (shifted[~ties] < self.value).sum() / draws.size + ties.mean() / 2
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


def cover_bounds(low: End, high: End, *, level: float, unit: str) -> Interval:
    """[low - c se, high + c se] in percentiles: covers the true value with chance `level` or more.

    low, high: the least and the greatest value that the data allow. The true value is covered
    wherever it lies between them: with chance `level` at a bound of a wide range, with more inside.
    The estimate is NaN, because the data determine none. If both bounds are equal, the interval is
    the ordinary percentile interval.
    """
    if np.isnan(low.value) or np.isnan(high.value):
        return Interval(np.nan, np.nan, np.nan, level, 0, unit)
    if low.value == high.value:
        return replace(percentile_interval(low.value, low.draws, level, unit), estimate=np.nan)
    count = int((~np.isnan(low.draws)).sum())
    if not count:
        return Interval(np.nan, np.nan, np.nan, level, 0, unit)
    error = max(float(np.nanstd(end.draws)) for end in (low, high))
    share = tail_share(high.value - low.value, error, level=level)
    return Interval(np.nan, low.beyond(share), high.beyond(1 - share), level, count, unit)
