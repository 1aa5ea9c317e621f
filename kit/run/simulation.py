"""Do the printed intervals hold the truth? Runs with a known truth, and how often they do."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import special

from kit.measures import metric
from kit.measures.metric import Metric
from kit.metrics import correction, stats
from kit.metrics.bootstrap import clusters

SHAPE = (0.8, 1.2)  # of the Beta distribution of a task's share of secure programs: mean 0.4
GRID = special.betaincinv(*SHAPE, (np.arange(20_000) + 0.5) / 20_000)


@dataclass(frozen=True)
class World:
    """How an oracle abstains and errs: shares of the truly secure and of the truly insecure."""

    name: str
    silent_secure: float = 0.0
    silent_insecure: float = 0.0
    wrong: float = 0.0  # of what it decides


WORLDS = (
    World("decides all"),
    World("silent at random", 0.3, 0.3),
    World("silent on the secure only", 0.4, 0.0),
    World("silent on the insecure only", 0.0, 0.4),
    World("silent on the secure mostly", 0.45, 0.1),
    World("hardly silent", 0.04, 0.0),
)
CALIBRATED = (
    World("silent at random, errs", 0.3, 0.3, 0.05),
    World("silent on the secure mostly, errs", 0.45, 0.1, 0.05),
)


def at_k(chance: NDArray[Any], k: int) -> float:
    """The mean over tasks of 1 - (1 - chance)^k, `chance` being each task's."""
    return float(np.mean(1 - (1 - chance) ** k))


def drawn(world: World, tasks: int, samples: int, rng: np.random.Generator) -> pd.DataFrame:
    """A run's tidy table, one security test a program, with the `truth` beside."""
    share = np.repeat(rng.beta(*SHAPE, size=tasks), samples)
    truth = rng.random(share.size) < share
    silent = rng.random(share.size) < np.where(truth, world.silent_secure, world.silent_insecure)
    heard = truth ^ (rng.random(share.size) < world.wrong)
    outcome = np.where(silent, "unknown", np.where(heard, "pass", "fail"))
    names = {"suite": "simulated", "model": "m", "test": "s", "kind": "security"}
    return pd.DataFrame({
        "task": np.repeat(np.arange(tasks), samples), "sample": np.tile(np.arange(samples), tasks),
        "status": "completed", "outcome": outcome, "truth": truth, **names,
    })  # fmt: skip


def coverage(
    *,
    rng: np.random.Generator,
    runs: int = 500,
    tasks: int = 100,
    samples: int = 1,
    k: Sequence[int] = (1,),
    n_boot: int = 500,
    worlds: Sequence[World] = WORLDS,
) -> pd.DataFrame:
    """How often the 95 % interval of secure@k holds the truth, both ends of what can be known, and
    how often the interval of the lower bound alone, once printed as that of the estimate, does.

    Tasks are drawn anew for every run. lower end, upper end: the least and the greatest truth that
    agree with all that the oracle will ever say; Imbens and Manski promise 95 % at each of them,
    and more between. hold: shares of `runs`, whose own standard error is 1 % at 500 runs.
    """
    rows = []
    for world in worlds:
        limits = np.array([_once(world, tasks, samples, k, n_boot, rng) for _ in range(runs)])
        for number, x in enumerate(k):
            ends, of_k = _truth(world, x), limits[:, number]
            holds = {f"holds {name}": _held(of_k[:, :2], end) for name, end in ends.items()}
            rows.append({"oracle": world.name, "samples": samples, "metric": f"secure@{x}", **ends,
                         **holds, "lower bound's alone": _held(of_k[:, 2:], ends["truth"]),
                         "runs": runs})  # fmt: skip
    return pd.DataFrame(rows)


def calibrated(
    *,
    rng: np.random.Generator,
    runs: int = 500,
    tasks: int = 100,
    samples: int = 1,
    k: Sequence[int] = (1,),
    n_boot: int = 500,
    worlds: Sequence[World] = CALIBRATED,
) -> pd.DataFrame:
    """How often the calibrated interval holds the truth: labels of `tasks` more tasks are known.

    Rogan and Gladen's correction with silence taken for "not called secure", in the run and in the
    labels; the labelled programs are of the same kind as those of the run.
    """
    rows = []
    for world in worlds:
        limits = []
        for _ in range(runs):
            known, run = (drawn(world, tasks, samples, rng) for _ in range(2))
            errors = correction.calibration(known["outcome"] == "pass", known["truth"],
                                            known["task"])  # fmt: skip
            data = clusters((run["outcome"] == "pass").astype(float), run["task"])
            each = (correction.corrected_at_k(data, errors, k=x, rng=rng, n_boot=n_boot) for x in k)
            limits.append([(i.low, i.high) for i in each])
        for number, x in enumerate(k):
            truth = at_k(GRID, x)
            rows.append({"oracle": world.name, "samples": samples, "metric": f"secure@{x}",
                         "truth": truth, "holds truth": _held(np.array(limits)[:, number], truth),
                         "runs": runs})  # fmt: skip
    return pd.DataFrame(rows)


def _once(
    world: World, tasks: int, samples: int, k: Sequence[int], n_boot: int,
    rng: np.random.Generator,
) -> list[tuple[float, float, float, float]]:  # fmt: skip
    """Per k the limits of the interval, and of the one around the lower bound as if it were all."""
    run = drawn(world, tasks, samples, rng)
    low, high = run["outcome"] == "pass", run["outcome"] != "fail"
    chosen = [Metric(f"secure@{x}", "any", "secure", x) for x in k]
    options: dict[str, Any] = {"rng": rng, "n_boot": n_boot, "level": 0.95, "within": True}
    intervals = []
    for ends in ((low, high), (low, low)):
        rows = dict(zip(("secure_low", "secure_high"), (e.astype(int) for e in ends), strict=True))
        intervals.append(metric.ends(chosen, pd.DataFrame(rows), run["task"].to_numpy(), **options))
    return [(i.low, i.high, alone.low, alone.high)
            for (_, i), (_, alone) in zip(*intervals, strict=True)]  # fmt: skip


def _truth(world: World, k: int) -> dict[str, float]:
    """The truth, and the ends of what the oracle leaves open, for an oracle that never errs."""
    chances = {
        "truth": GRID,
        "lower end": GRID * (1 - world.silent_secure),
        "upper end": 1 - (1 - GRID) * (1 - world.silent_insecure),
    }
    return {name: at_k(chance, k) for name, chance in chances.items()}


def _held(limits: NDArray[Any], value: float) -> float:
    return float(np.mean((limits[:, 0] <= value) & (value <= limits[:, 1])))


def text(told: dict[str, pd.DataFrame]) -> str:
    """Both tables, in percent."""
    parts = []
    for title, rows in told.items():
        percent = {name: (100 * rows[name]).map("{:.1f}".format)
                   for name in rows.select_dtypes("float")}  # fmt: skip
        parts.append(f"{title}\n{rows.assign(**percent).to_string(index=False)}")
    return "\n\n".join(parts)


def tables(*, runs: int, seed: str = "coverage") -> dict[str, pd.DataFrame]:
    """Both tables, from one named seed: one sample a task, and secure@3 of five samples."""
    rng = stats.seed(seed)
    designs: tuple[dict[str, Any], ...] = ({"samples": 1}, {"samples": 5, "k": (1, 3)})
    return {
        name: pd.concat([table(rng=rng, runs=runs, **d) for d in designs], ignore_index=True)
        for name, table in (("95 % intervals of a run without calibration", coverage),
                            ("95 % intervals with a calibration", calibrated))
    }  # fmt: skip
