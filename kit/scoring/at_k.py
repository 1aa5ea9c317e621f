"""at-k estimators over (n, c) per task: n samples were drawn, c of them have the property.

pass@k counts functional samples, secure@k secure ones, secure-pass@k those that are both, with the
same estimator. secure@k_pass draws among the functional samples only.
"""

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[Any]


class TooFewSamples(UserWarning):
    """A task has fewer samples than k, so its value is NaN: neither 0 nor 1 would be true."""


def estimate(n: ArrayLike, c: ArrayLike, *, k: int) -> Array:
    """1 - C(n-c, k) / C(n, k): the chance that one of k samples drawn of n is among the c good.

    n, c: integers of any shapes that broadcast. NaN and a TooFewSamples warning where n < k.
    Unbiased (Chen et al. 2021, eq. 1); CodeGuard+ eqs. 2 and 3.
    """
    n, c = _check_counts(n, c, k)
    short = n < k
    if short.any():
        warnings.warn(too_few(n, k=k), TooFewSamples, stacklevel=2)
    return _estimate_by_product(n, c, k)


def secure_at_k_pass(passed: ArrayLike, joint: ArrayLike, *, k: int) -> Array:
    """1 - C(p-j, k) / C(p, k), and 0 where p = 0: is one of k functional samples secure too?

    passed (p): functional samples of a task; joint (j): those secure as well. CodeGuard+ Definition
    3.4, which sets 0 where nothing passes and does not define 0 < p < k: NaN and a warning here.
    """
    p, j = _check_counts(passed, joint, k)
    short = (p > 0) & (p < k)
    if short.any():
        warnings.warn(too_few(p[short], k=k), TooFewSamples, stacklevel=2)
    return np.where(p == 0, 0.0, _estimate_by_product(p, j, k))


def secure_at_k_pass_defined(passed: ArrayLike, joint: ArrayLike, *, k: int) -> Array:
    """1 - C(p-j, k) / C(p, k), and NaN where p < k: use nanmean, and report the coverage."""
    p, j = _check_counts(passed, joint, k)
    return _estimate_by_product(p, j, k)


def too_few(n: ArrayLike, *, k: int) -> str:
    """The sentence of a TooFewSamples warning; empty where every n reaches k."""
    n = np.asarray(n)
    short = int(np.sum(n < k))
    if not short:
        return ""
    return (
        f"{short} of {n.size} tasks have fewer than k = {k} samples to choose from (the fewest: "
        f"{n.min():g}), so the value is NaN. Draw more samples, or ask for a smaller k."
    )


def _estimate_by_product(n: Array, c: Array, k: int) -> Array:
    """The product form: k factors within [0, 1], so nothing overflows or loses precision."""
    miss = np.ones(n.shape)
    for i in range(k):
        miss *= np.clip((n - c - i) / np.maximum(n - i, 1), 0, None)
    return np.where(n < k, np.nan, 1 - miss)


def _check_counts(n: ArrayLike, c: ArrayLike, k: int) -> tuple[Array, Array]:
    n, c = np.broadcast_arrays(n, c)
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
        raise ValueError(f"Got k = {k!r}. Use a whole number from 1 on.")
    if not np.all((c >= 0) & (c <= n) & (c == np.floor(c)) & (n == np.floor(n))):
        raise ValueError("Got counts that are not whole numbers with 0 <= c <= n.")
    return n, c
