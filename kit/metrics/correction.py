"""What a share would be if the judge that counted it made no errors (Rogan and Gladen 1978)."""

from dataclasses import dataclass

import numpy as np

from kit.metrics.bootstrap import Clusters, draws, pooled_share, value
from kit.metrics.stats import Interval


@dataclass(frozen=True)
class Calibration:
    """A judge against labels: its right and wrong calls on true passes and on true fails."""

    true_pass: int
    false_fail: int
    true_fail: int
    false_pass: int

    def __post_init__(self) -> None:
        if self.true_pass + self.false_fail < 1 or self.true_fail + self.false_pass < 1:
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


def rogan_gladen(rate: float, *, sensitivity: float, specificity: float) -> float:
    """(rate + specificity - 1) / (sensitivity + specificity - 1), within [0, 1].

    NaN where the judge does no better than chance: then its verdicts say nothing.
    """
    gain = sensitivity + specificity - 1
    return float(np.clip((rate + specificity - 1) / gain, 0, 1)) if gain > 0 else float("nan")


def corrected(
    verdicts: Clusters,
    calibration: Calibration,
    *,
    rng: np.random.Generator,
    n_boot: int = 5000,
    level: float = 0.95,
) -> Interval:
    """The corrected share of passes; the interval carries the chance in tasks and in the labels.

    verdicts: 1 (pass) or 0 (fail) a test, grouped by task. Sensitivity and specificity are drawn
    from Beta(right + 1/2, wrong + 1/2); a draw in which the judge is no better than chance widens
    the interval on both sides.
    """
    c = calibration
    rate = float(value(verdicts, pooled_share)[0])
    rates = draws(verdicts, pooled_share, rng=rng, n_boot=n_boot, within=False)[:, 0]
    sensitivity = rng.beta(c.true_pass + 0.5, c.false_fail + 0.5, n_boot)
    specificity = rng.beta(c.true_fail + 0.5, c.false_pass + 0.5, n_boot)
    gain = sensitivity + specificity - 1
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.clip((rates + specificity - 1) / gain, 0, 1)
    low = np.quantile(np.where(gain > 0, shares, 0), (1 - level) / 2)
    high = np.quantile(np.where(gain > 0, shares, 1), (1 + level) / 2)
    point = rogan_gladen(rate, sensitivity=c.sensitivity, specificity=c.specificity)
    return Interval(point, float(low), float(high), level, n_boot, "task, label")
