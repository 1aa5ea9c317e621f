"""One level of a column against another on their common tasks, and what chance may explain."""

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
    """Each other level of a column against `first` on their common tasks, in points.

    low, high: paired bootstrap over tasks, then samples; where all tasks differ alike resampling
    cannot vary, and the limits allow for tasks that differ otherwise (Wilson, over tasks).
    p: McNemar's exact test where every task has one sample on both sides, else the sign-flip test
    of the tasks' differences. p (Holm): over all rows. differing: the share of tasks on which the
    two differ. detectable: the smallest step that so many tasks show with `power` at that share
    (McNemar; where no step within it would, the best case), or from the standard error of the
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
            numbers = (100 * difference.estimate, n, *(100 * x for x in ends(difference, n)))
            found_p = chance(*pair, rng=rng, level=confidence, power=power)
            lines.append((first, other, metric, *numbers, *found_p))
    columns = ["from", "to", "metric", "step", "n", "low", "high", "p", "differing", "detectable"]
    steps = pd.DataFrame(lines, columns=columns)
    steps.insert(columns.index("p") + 1, "p (Holm)", stats.holm(steps["p"]))
    return steps


def ends(found: stats.Interval, n: int) -> tuple[float, float]:
    """The limits; where resampling could not vary, with room for tasks that differ otherwise."""
    if found.low < found.high:
        return found.low, found.high
    room = stats.wilson(0, n, level=found.level).high
    return max(-1.0, found.estimate - room), min(1.0, found.estimate + room)


def chance(
    one: bootstrap.Clusters,
    other: bootstrap.Clusters,
    *,
    rng: np.random.Generator,
    level: float,
    power: float,
) -> tuple[float, float, float]:
    """p, the share of tasks that differ, and the smallest detectable step in points.

    Of several samples a task: (z + z) times the standard error of the tasks' differences; where no
    two of these differ, that of as many independent samples (Agresti and Caffo 2000). Infinite
    where the tasks are too few for any step.
    """
    steps = (one.sums[:, 0] / one.sizes) - (other.sums[:, 0] / other.sizes)
    differing, n = float(np.mean(steps != 0)), len(steps)
    if (one.sizes == 1).all() and (other.sizes == 1).all():
        options = {"level": level, "power": power}
        least = stats.smallest_detectable_difference(n, discordant=differing, **options)
        if not np.isfinite(least):
            least = stats.smallest_detectable_difference(n, **options)
        return stats.sign_test(steps).p, differing, 100 * least
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
    """Both sides on the tasks that both have; an undecided sample is not shown to hold."""
    tasks = set(one["task"]) & set(other["task"])
    if len(tasks) < 2:
        raise KitError(f"The two have {len(tasks)} tasks in common. A comparison needs 2 or more.")
    kept = [side[side["task"].isin(tasks)] for side in (one, other)]
    first, second = (
        bootstrap.clusters(s[axis].fillna(value=False).astype(float), s["task"]) for s in kept
    )
    return first, second
