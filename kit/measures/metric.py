"""The metrics of a group of samples: their names, their values from sums per task, their bounds."""

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
        return (passed, tests) if metric.form == "pooled" else _mean(rates.per_task(passed, tests))
    good = sums[PLACE[f"{metric.of}_sure"]]
    if metric.form == "any":
        return at_k.estimate(n, good, k=metric.drawn), np.ones(n.shape)
    passed = sums[PLACE["functional_sure"]]
    if metric.form == "paper":
        return at_k.secure_at_k_pass(passed, good, k=metric.drawn), np.ones(n.shape)
    return _mean(at_k.secure_at_k_pass_defined(passed, good, k=metric.drawn))


def _mean(values: Array) -> tuple[Array, Array]:
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


def bounds(chosen: Sequence[Metric], rows: pd.DataFrame, task: Array) -> list[tuple[float, float]]:
    """Per metric the least and the greatest value over all planned samples, undecided ones free."""
    sums = _limits(rows).groupby(task).sum()
    return [_bounds(m, sums) for m in chosen]


def _limits(rows: pd.DataFrame) -> pd.DataFrame:
    out = {"n": 1}
    for axis in ("functional", "secure", "joint"):
        out[f"{axis}_low"], out[f"{axis}_high"] = rows[f"{axis}_low"], rows[f"{axis}_high"]
    for axis in ("functional", "secure"):
        tests, passed, counted = rows[f"{axis}_tests"], rows[f"{axis}_passed"], rows["counted"]
        out[f"{axis}_tests"] = tests
        out[f"{axis}_passed_low"] = passed.where(counted, 0)
        out[f"{axis}_passed_high"] = (passed + rows[f"{axis}_undecided"]).where(counted, tests)
    # functional but insecure: as few samples as possible, as many as possible
    out["insecure_low"] = rows["functional_low"] & ~rows["secure_high"]
    out["insecure_high"] = rows["functional_high"] & ~rows["secure_low"]
    return pd.DataFrame(out, index=rows.index).astype(int)


def _bounds(metric: Metric, sums: pd.DataFrame) -> tuple[float, float]:
    if metric.form in ("pooled", "mean"):
        rate = rates.pooled if metric.form == "pooled" else rates.task_mean
        ends = [sums[f"{metric.of}_passed_{end}"] for end in ("low", "high")]
        low, high = (float(rate(end, sums[f"{metric.of}_tests"])) for end in ends)
        return low, high
    if metric.form == "any":
        ends = [sums[f"{metric.of}_{end}"] for end in ("low", "high")]
        low, high = (float(at_k.estimate(sums["n"], end, k=metric.drawn).mean()) for end in ends)
        return low, high
    pairs = (("joint_low", "insecure_high"), ("joint_high", "insecure_low"))
    if metric.form == "paper":
        low, high = (
            float(at_k.secure_at_k_pass(sums[j] + sums[q], sums[j], k=metric.drawn).mean())
            for j, q in pairs
        )
        return low, high
    few, many = (
        at_k.secure_at_k_pass_defined(sums[j] + sums[q], sums[j], k=metric.drawn) for j, q in pairs
    )
    # Too few of the wanted kind for k: the others make up k, and one good sample among k suffices.
    few = np.where(np.isnan(few), 1, few)
    many = np.where(np.isnan(many), sums["joint_high"] > 0, many)
    surely = (sums["functional_low"] >= metric.drawn).to_numpy()
    maybe = (sums["functional_high"] >= metric.drawn).to_numpy() & ~surely
    return _least(few[surely], few[maybe]), 1 - _least(1 - many[surely], 1 - many[maybe])


def _least(fixed: Array, optional: Array) -> float:
    """The least mean over all of `fixed` and any of `optional`; NaN where there is neither."""
    ordered = np.concatenate([fixed, np.sort(optional)])
    start = max(len(fixed), 1)
    if len(ordered) < start:
        return float("nan")
    return float(min((np.cumsum(ordered) / np.arange(1, len(ordered) + 1))[start - 1 :]))
