"""Agreement between raters: raw, Gwet's AC1, Cohen's kappa.

`ratings` has one row per item and one column per rater; a label is a number or a text, None or NaN
where a rater gave none. Kappa falls towards 0 when nearly all labels are equal; AC1 does not.
"""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from kit.scoring.stats import Interval, wilson_interval

Array = NDArray[Any]


def unanimous_share(ratings: ArrayLike) -> float:
    """The share of items on which all raters agree (n-way); every rater must have rated each."""
    counts = _count_labels(_require_complete(ratings))
    return float(np.mean(counts.max(axis=1) == counts.sum(axis=1)))


def gwet_ac1(ratings: ArrayLike, *, categories: int = 2) -> float:
    """(pa - pe) / (1 - pe) with pe = sum over q of pi_q (1 - pi_q) / (Q - 1): Gwet's AC1.

    pa: the mean share of agreeing pairs of raters, over items with at least two ratings; pi_q: the
    mean over items of the share of ratings in category q; Q: the number of categories that the
    scale has, at least those seen (`categories` counts unused ones).
    Gwet 2008, British J. of Mathematical and Statistical Psychology 61, eqs. 6 to 8 and 12.
    """
    counts = _count_labels(ratings)
    scale: int = max(categories, counts.shape[1], 2)
    share = (counts / counts.sum(axis=1, keepdims=True)).mean(axis=0)
    chance = float(np.sum(share * (1 - share))) / (scale - 1)
    counts = counts[counts.sum(axis=1) > 1]
    raters = counts.sum(axis=1)
    agreed = float(np.mean((counts * (counts - 1)).sum(axis=1) / (raters * (raters - 1))))
    return (agreed - chance) / (1 - chance)


def estimate_intervals(
    ratings: ArrayLike,
    *,
    rng: np.random.Generator,
    groups: ArrayLike | None = None,
    categories: int = 2,
    n_boot: int = 5000,
    level: float = 0.95,
) -> tuple[Interval, Interval]:
    """(AC1, raw agreement) with percentile limits over resampled items; no rating may be missing.

    groups: one label per row; rows of one label (the fields of one item) are resampled together.
    Without groups raw agreement has Wilson's limits, which have a width even where all agree.
    """
    counts = _count_labels(_require_complete(ratings))
    raters = int(counts[0].sum())
    alike = counts.max(axis=1) == raters
    pairs = (counts * (counts - 1)).sum(axis=1) / (raters * (raters - 1))
    columns = np.column_stack([np.ones(len(counts)), pairs, alike, counts / raters])
    codes = np.arange(len(counts)) if groups is None else np.unique(groups, return_inverse=True)[1]
    sums = np.stack([np.bincount(codes, weights=c) for c in columns.T], axis=1)
    scale = max(categories, counts.shape[1])
    n = len(sums)
    weights = rng.multinomial(n, np.full(n, 1 / n), size=n_boot)
    estimate = _compute_coefficients(sums.sum(axis=0)[None], scale)[0]
    tails = [(1 - level) / 2, (1 + level) / 2]
    low, high = np.quantile(_compute_coefficients(weights @ sums, scale), tails, axis=0)
    unit = "item" if groups is None else "item, all its rows"
    limits = [
        Interval(float(point), float(least), float(most), level, n_boot, unit)
        for point, least, most in zip(estimate, low, high, strict=True)
    ]
    if groups is None:
        limits[1] = wilson_interval(int(alike.sum()), n, level=level, unit=unit)
    return limits[0], limits[1]


def _compute_coefficients(totals: Array, scale: int) -> Array:
    """(AC1, raw) per row of totals: rows, agreeing pairs, agreeing rows, shares of labels."""
    pairs, alike, shares = np.split(totals[:, 1:] / totals[:, :1], [1, 2], axis=1)
    chance = (shares * (1 - shares)).sum(axis=1, keepdims=True) / (scale - 1)
    return np.hstack([(pairs - chance) / (1 - chance), alike])


def cohen_kappa(first: ArrayLike, second: ArrayLike) -> float:
    """Cohen's kappa of two raters; NaN where both used the same single label throughout."""
    from statsmodels.stats.inter_rater import cohens_kappa, to_table

    pair = _require_complete(np.column_stack([first, second]))
    codes, labels = pd.factorize(pair.ravel(), sort=True)
    if len(labels) < 2:
        return float("nan")
    table = to_table(codes.reshape(pair.shape), bins=len(labels))[0]
    return float(cohens_kappa(table, return_results=False))


def _convert_to_table(ratings: ArrayLike) -> Array:
    table = np.asarray(ratings, dtype=object)
    if table.ndim != 2 or table.shape[1] < 2 or not len(table):
        raise ValueError(
            f"Got ratings of shape {table.shape}. Give one row an item and a column for each of "
            "two or more raters."
        )
    return table


def _require_complete(ratings: ArrayLike) -> Array:
    table = _convert_to_table(ratings)
    missing = int(pd.isna(table).sum())
    if missing:
        raise ValueError(f"{missing} ratings are missing. Use ac1, which allows for gaps.")
    return table


def _count_labels(ratings: ArrayLike) -> Array:
    """Items x categories: how many raters chose each; unrated items are left out."""
    table = _convert_to_table(ratings)
    codes, labels = pd.factorize(table.ravel())
    codes = codes.reshape(table.shape)
    counts: Array = np.stack([(codes == q).sum(axis=1) for q in range(len(labels))], axis=1)
    counts = counts[counts.sum(axis=1) > 0]
    if not (counts.sum(axis=1) > 1).any():
        raise ValueError("No item has two ratings. Agreement needs two raters on the same item.")
    return counts
