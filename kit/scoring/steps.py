"""Compares the levels of a column (such as models) on their common tasks, with paired tests."""

from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from kit.core.errors import KitError
from kit.scoring import bootstrap, reduce, stats
from kit.scoring.measure import MOST_UNDECIDED, Metric, list_metrics

AXES = {"pass@1": "functional", "secure@1": "secure", "secure-pass@1": "joint"}


def frame_steps(
    frame: pd.DataFrame,
    *,
    level: str,
    first: object,
    name: str = "",
    n_boot: int = 5000,
    confidence: float = 0.95,
    power: float = 0.8,
) -> pd.DataFrame:
    """The difference of each other level of a column from `first` on common tasks, in points.

    Each row is `paired` of the two levels, so without a step where too much is undecided, or fewer
    than two tasks are common; the note says so. p (Holm): over all rows. differing: the share of
    tasks on which the two differ. detectable: the smallest detectable difference with `power` at
    that share (McNemar; if that share is too small for any, the best case), or from the standard
    error of the tasks' differences.
    """
    samples = reduce.summarize_samples(frame)
    if level not in samples or first not in set(samples[level]):
        where = f"The run {name}" if name else "The table"
        columns = ", ".join(reduce.arm_columns(samples))
        raise KitError(f"{where} has no {level} = {first!r}. Its columns are: {columns}.")
    sides = dict(list(samples.groupby(level, sort=False)))
    one = sides.pop(first)
    options: dict[str, Any] = {"level": confidence, "power": power, "n_boot": n_boot}
    lines = []
    for (other, side), metric in product(sides.items(), list_compared(samples)):
        words = f"{name} {other} {metric.name}"
        line = compare_pairs(one, side, metric.of, name=words, **options)
        lines.append({"from": first, "to": other, "metric": metric.name, **line})
    names = {"difference": "step", "tasks": "n", "smallest": "detectable"}
    steps = pd.DataFrame(lines, columns=["from", "to", "metric", *PAIRED]).rename(columns=names)
    for column in ("step", "low", "high", "bound_low", "bound_high", "detectable"):
        steps[column] = (100 * steps[column]).round(9)  # 3.75 points are 3.8, not 3.7499999's 3.7
    steps.insert(list(steps).index("p") + 1, "p (Holm)", stats.apply_holm(steps["p"]))
    return steps.drop(columns=["better", "worse", "undecided"])


def list_compared(samples: pd.DataFrame) -> list[Metric]:
    """The metrics at 1 that the samples' tests allow."""
    tested = [axis for axis in reduce.AXES if samples[f"{axis}_tests"].any()]
    return [metric for metric in list_metrics(tested, (1,)) if metric.form == "any"]


PAIRED = (
    "difference",
    "tasks",
    "low",
    "high",
    "bound_low",
    "bound_high",
    "p",
    "differing",
    "smallest",
    "better",
    "worse",
    "undecided",
    "note",
)


def compare_pairs(
    first: pd.DataFrame,
    second: pd.DataFrame,
    axis: str,
    *,
    name: str,
    level: float,
    power: float,
    n_boot: int,
) -> dict[str, Any]:
    """Second minus first: the difference of the task means of two sides' samples, as a share.

    low, high: a paired bootstrap over common tasks, then samples, around bound_low and bound_high,
    where all that is undecided counts against the difference, or for it; if all tasks have the same
    difference, limits are from Wilson's interval over tasks. better, worse: tasks with a higher,
    lower rate. p: McNemar's exact test where every task has one sample on both sides, else the
    sign-flip test of the tasks' differences. smallest: the difference that so many tasks and
    samples show with `power`. Where more than 5 % of a side is undecided, its rate has no point:
    no difference, no p. name: of the random numbers.
    """
    tasks = set(first["task"]) & set(second["task"])
    sides = [side[side["task"].isin(tasks)] for side in (second, first)]
    nothing: dict[str, Any] = dict.fromkeys(PAIRED, np.nan)
    out = nothing | {"tasks": len(tasks), "note": ""}
    if len(tasks) < 2:
        return out | {"smallest": np.inf, "note": "Fewer than two common tasks: no test."}
    open_ = max((side[f"{axis}_high"] & ~side[f"{axis}_low"]).mean() for side in sides)
    data = []
    for side, order in zip(sides, (("low", "high"), ("high", "low")), strict=True):
        columns = [f"{axis}_{end}" for end in order]
        data.append(bootstrap.group_by_task(side[columns], side["task"]))
    rng = stats.seed(name)
    least, most = bootstrap.paired_bootstrap(*data, rng=rng, n_boot=n_boot, level=level)
    out |= {
        "undecided": open_,
        "low": widen_interval(least, len(tasks))[0],
        "high": widen_interval(most, len(tasks))[1],
        "bound_low": least.estimate,
        "bound_high": most.estimate,
    }
    if open_ > MOST_UNDECIDED:
        return out | {"note": f"{open_:.0%} undecided: no point, no test."}
    counted = [side[side["counted"]] for side in sides]
    judged = set(counted[0]["task"]) & set(counted[1]["task"])
    if len(judged) < 2:
        return out | {"note": "Fewer than two common tasks were judged: no test."}
    pair = [cluster_tasks(side[side["task"].isin(judged)], axis) for side in counted]
    gaps = (pair[0].sums[:, 0] / pair[0].sizes) - (pair[1].sums[:, 0] / pair[1].sizes)
    signs = stats.seed(f"{name} signs")
    p, differing, smallest = assess_difference(*pair, rng=signs, level=level, power=power)
    return out | {
        "tasks": len(gaps),
        "difference": gaps.mean(),
        "p": p,
        "differing": differing,
        "smallest": smallest / 100,
        "better": int((gaps > 0).sum()),
        "worse": int((gaps < 0).sum()),
    }


def cluster_tasks(side: pd.DataFrame, axis: str) -> bootstrap.Clusters:
    """The samples of a side by task; an undecided one counts as failed."""
    return bootstrap.group_by_task(side[axis].fillna(value=False).astype(float), side["task"])


def widen_interval(interval: stats.Interval, n: int) -> tuple[float, float]:
    """The interval's limits; an interval without width is widened by Wilson's over tasks."""
    if interval.low < interval.high:
        return interval.low, interval.high
    room = stats.wilson_interval(0, n, level=interval.level).high
    return max(-1.0, interval.estimate - room), min(1.0, interval.estimate + room)


def assess_difference(
    one: bootstrap.Clusters,
    other: bootstrap.Clusters,
    *,
    rng: np.random.Generator,
    level: float,
    power: float,
) -> tuple[float, float, float]:
    """p, the share of tasks that differ, and the smallest detectable difference in points.

    With several samples per task: (z + z) times the standard error of the tasks' differences; if
    these are all equal, that of as many independent samples (Agresti and Caffo 2000). Infinite if
    there are too few tasks to detect any difference.
    """
    steps = (one.sums[:, 0] / one.sizes) - (other.sums[:, 0] / other.sizes)
    differing = np.mean(steps != 0)
    n = len(steps)
    if (one.sizes == 1).all() and (other.sizes == 1).all():
        options = {"level": level, "power": power}
        least = stats.smallest_detectable_difference(n, discordant=differing, **options)
        if not np.isfinite(least):
            least = stats.smallest_detectable_difference(n, **options)
        return stats.sign_test(steps), differing, 100 * least
    error = steps.std(ddof=1) / np.sqrt(n)
    if error < 1e-12:
        variance = 0.0
        for side in (one, other):
            size = side.sizes.sum() + 2
            share = (side.sums.sum() + 1) / size
            variance += share * (1 - share) / size
        error = variance**0.5
    least = stats.detectable_difference(error, level=level, power=power)
    if 2.0 ** (1 - n) > 1 - level:  # the least p of a sign-flip test
        least = np.inf
    return stats.sign_flip(steps, rng=rng), differing, 100 * least
