"""The shapes of RealSec-bench's tables 2, 5, 6 and 7 from a run, and tests between its arms."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from kit import measures
from kit.metrics import stats
from kit.suites.javarepo.instance import Instance

SHOWN = ("pass", "secure", "secure-pass")  # P@k, S@k, SP@k


def described(frame: pd.DataFrame, instances: Sequence[Instance]) -> pd.DataFrame:
    """The tidy frame with the category, the weakness and the hops of each instance."""
    hops = {i.id: _hops(i.data["hops"]) for i in instances}
    category = {i.id: i.data["category"] for i in instances}
    return frame.assign(hops=frame["task"].map(hops), category=frame["task"].map(category))


def _hops(n: int) -> str:
    return f"{n}" if n < 3 else "3+"


def scores(
    frame: pd.DataFrame, by: Sequence[str], *, k: Sequence[int] = (1,), n_boot: int = 2000
) -> pd.DataFrame:
    """pass@k, secure@k and secure-pass@k in percent with intervals, one row a group."""
    found = measures.measure(frame, by=by, k=k, rng=stats.seed("-".join(by)), n_boot=n_boot)
    wanted = [f"{name}@{n}" for name in SHOWN for n in k]
    found = found[found["metric"].isin(wanted)]
    for column in ("estimate", "low", "high"):
        found[column] = 100 * found[column]
    names = {"estimate": "value", "low": "ci_low", "high": "ci_high"}
    return found.rename(columns=names)[
        [*by, "metric", "value", "ci_low", "ci_high", "tasks", "note"]
    ]


def joint(frame: pd.DataFrame) -> pd.DataFrame:
    """task x arm: 1 where the first sample passes every test, 0 where it does not."""
    first = frame[frame["sample"] == frame["sample"].min()]
    good = first.assign(good=first["outcome"] == "pass")
    held = good.groupby(["task", "prompt"])["good"].all().unstack("prompt")
    return held.dropna().astype(int)


def paired(frame: pd.DataFrame, base: str = "origin") -> tuple[pd.DataFrame, dict[str, Any]]:
    """McNemar's exact test of every arm against `base` on the same tasks, Holm over the family.

    Second: the number of tasks, and the smallest difference (points) that so many could show, at
    best and with the share of differing tasks that was seen.
    """
    held = joint(frame)
    rows = []
    for arm in [a for a in held.columns if a != base]:
        test = stats.mcnemar(held[arm], held[base])
        rows.append({"arm": arm, f"minus {base}": 100 * float((held[arm] - held[base]).mean()),
                     "better": test.first, "worse": test.second, "equal": test.ties,
                     "p": test.p})  # fmt: skip
    table = pd.DataFrame(rows)
    if len(table):
        table["p, Holm"] = stats.holm(table["p"])
    differing = float(np.mean([(r["better"] + r["worse"]) / len(held) for r in rows] or [0.0]))
    best = stats.smallest_detectable_difference(len(held))
    seen = stats.smallest_detectable_difference(len(held), discordant=differing) if differing else 1
    return table, {"tasks": len(held), "smallest difference shown, at best": 100 * best,
                   "with the differing tasks seen": 100 * seen}  # fmt: skip
