"""Compares the levels of a column (such as models) on their common tasks, with paired tests."""

import numpy as np
import pandas as pd

from kit.errors import KitError
from kit.measures.reduce import samples as reduced
from kit.metrics import bootstrap, stats

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

    low, high: paired bootstrap over tasks, then samples; if all tasks have the same difference,
    limits are from Wilson's interval over tasks instead.
    p: McNemar's exact test where every task has one sample on both sides, else the sign-flip test
    of the tasks' differences. p (Holm): over all rows. differing: the share of tasks on which the
    two differ. detectable: the smallest detectable difference with `power` at that share
    (McNemar; if that share is too small for any, the best case), or from the standard error of the
    tasks' differences.
    """
    samples = reduced(frame)
    if level not in samples or first not in set(samples[level]):
        where = f"The run {name}" if name else "The table"
        raise KitError(f"{where} has no {level} = {first!r}. Name a column and a level.")
    sides = dict(list(samples[samples["counted"]].groupby(level, sort=False)))
    lines = []
    for other in [x for x in sides if x != first]:
        for metric, axis in AXES.items():
            pair = common(sides[other], sides[first], axis)
            rng = stats.seed(f"{name} {other} {metric}")
            (difference,) = bootstrap.paired_bootstrap(
                *pair, rng=rng, n_boot=n_boot, level=confidence
            )
            n = len(pair[0].names)
            step, low, high = (
                round(100 * x, 9) for x in (difference.estimate, *ends(difference, n))
            )  # 3.75 points are 3.8, and not the 3.7 of 3.7499999
            test = chance(*pair, rng=rng, level=confidence, power=power)
            lines.append((first, other, metric, step, n, low, high, *test))
    columns = ["from", "to", "metric", "step", "n", "low", "high", "p", "differing", "detectable"]
    steps = pd.DataFrame(lines, columns=columns)
    steps.insert(columns.index("p") + 1, "p (Holm)", stats.holm(steps["p"]))
    return steps


def ends(interval: stats.Interval, n: int) -> tuple[float, float]:
    """The interval's limits; an interval without width is widened by Wilson's over tasks."""
    if interval.low < interval.high:
        return interval.low, interval.high
    room = stats.wilson(0, n, level=interval.level).high
    return max(-1.0, interval.estimate - room), min(1.0, interval.estimate + room)


def chance(
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
    differing, n = float(np.mean(steps != 0)), len(steps)
    if (one.sizes == 1).all() and (other.sizes == 1).all():
        options = {"level": level, "power": power}
        least = stats.smallest_detectable_difference(n, discordant=differing, **options)
        if not np.isfinite(least):
            least = stats.smallest_detectable_difference(n, **options)
        return stats.sign_test(steps), differing, 100 * least
    error = float(steps.std(ddof=1)) / np.sqrt(n)
    if error < 1e-12:
        sizes = [float(side.sizes.sum()) + 2 for side in (one, other)]
        shares = [(side.sums.sum() + 1) / m for side, m in zip((one, other), sizes, strict=True)]
        error = sum(p * (1 - p) / m for p, m in zip(shares, sizes, strict=True)) ** 0.5
    least = stats.detectable(error, level=level, power=power)
    least = least if 2.0 ** (1 - n) <= 1 - level else np.inf  # the least p of a sign-flip test
    return stats.sign_flip(steps, rng=rng), differing, 100 * least


def common(
    one: pd.DataFrame, other: pd.DataFrame, axis: str
) -> tuple[bootstrap.Clusters, bootstrap.Clusters]:
    """Both sides on their common tasks; an undecided sample counts as failed."""
    tasks = set(one["task"]) & set(other["task"])
    if len(tasks) < 2:
        raise KitError(f"They have {len(tasks)} common tasks. A comparison needs 2 or more.")
    kept = [side[side["task"].isin(tasks)] for side in (one, other)]
    first, second = (
        bootstrap.clusters(s[axis].fillna(value=False).astype(float), s["task"]) for s in kept
    )
    return first, second
