"""The metrics of a group of samples: their names, and their values from sums per task."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from kit.metrics import at_k, rates

Array = NDArray[Any]
# What is summed over the counted samples of a task; `values` finds them by position.
COLUMNS = (
    "functional_sure", "secure_sure", "joint_sure",
    "functional_passed", "functional_tests", "secure_passed", "secure_tests",
)  # fmt: skip
PLACE = {name: place for place, name in enumerate(COLUMNS)}


@dataclass(frozen=True)
class Metric:
    """form: "any" (at least one of k), "paper" and "defined" (secure@k_pass), "pooled", "mean"."""

    name: str
    form: str
    of: str  # functional, secure, joint
    k: int | None = None

    @property
    def drawn(self) -> int:
        """k of a form that has one."""
        if self.k is None:
            raise ValueError(f"{self.name} draws no k samples. Use a metric at k.")
        return self.k


def metrics(axes: Sequence[str], k: Sequence[int]) -> list[Metric]:
    """All metrics that the tests of these axes allow, in the order of the papers' tables."""
    found = []
    for axis, name in (("functional", "PR"), ("secure", "SPR")):
        if axis in axes:
            found += [Metric(name, "pooled", axis), Metric(f"{name} (task mean)", "mean", axis)]
    for x in k:
        if "functional" in axes:
            found.append(Metric(f"pass@{x}", "any", "functional", x))
        if "secure" in axes:
            found.append(Metric(f"secure@{x}", "any", "secure", x))
        if len(axes) == 2:
            found.append(Metric(f"secure-pass@{x}", "any", "joint", x))
            found.append(Metric(f"secure@{x}_pass", "paper", "joint", x))
            found.append(Metric(f"secure@{x}_pass (defined)", "defined", "joint", x))
    return found


def columns(rows: pd.DataFrame) -> Array:
    """COLUMNS of counted samples; an undecided axis is not shown to hold."""
    sure = {f"{a}_sure": rows[a].fillna(value=False) for a in ("functional", "secure", "joint")}
    return np.asarray(rows.assign(**sure)[list(COLUMNS)], dtype=float)


def terms(chosen: Sequence[Metric], sums: Array, n: Array) -> Array:
    """(..., tasks, metrics, 2) for the bootstrap, from sums (..., tasks, COLUMNS) and n samples."""
    n = np.broadcast_to(n, sums.shape[:-1])
    pairs = [_terms(m, np.moveaxis(sums, -1, 0), n) for m in chosen]
    return np.stack([np.stack(pair, axis=-1) for pair in pairs], axis=-2)


def _terms(metric: Metric, sums: Array, n: Array) -> tuple[Array, Array]:
    """Per task a pair whose sums over tasks have the metric as their ratio."""
    if metric.form in ("pooled", "mean"):
        passed, tests = sums[PLACE[f"{metric.of}_passed"]], sums[PLACE[f"{metric.of}_tests"]]
        return (
            (passed, tests)
            if metric.form == "pooled"
            else mean_terms(rates.per_task(passed, tests))
        )
    good = sums[PLACE[f"{metric.of}_sure"]]
    if metric.form == "any":
        return at_k.estimate(n, good, k=metric.drawn), np.ones(n.shape)
    passed = sums[PLACE["functional_sure"]]
    if metric.form == "paper":
        return at_k.secure_at_k_pass(passed, good, k=metric.drawn), np.ones(n.shape)
    return mean_terms(at_k.secure_at_k_pass_defined(passed, good, k=metric.drawn))


def mean_terms(values: Array) -> tuple[Array, Array]:
    """Terms of the mean over the tasks in which a value is defined."""
    has = ~np.isnan(values)
    return np.where(has, values, 0.0), has


def coverage(metric: Metric, sums: Array, tasks: int) -> float:
    """The share of all `tasks` that the estimate rests on."""
    if metric.form in ("pooled", "mean"):
        return float(np.sum(sums[:, PLACE[f"{metric.of}_tests"]] > 0)) / tasks
    if metric.form == "defined":
        return float(np.sum(sums[:, PLACE["functional_sure"]] >= metric.drawn)) / tasks
    return len(sums) / tasks
