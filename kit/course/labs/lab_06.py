"""Lab 6: reading a paper's table critically: counts behind shares, pairs, what cannot be shown."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from kit.course.exercise import Seal, ask_function
from kit.papers.audit import grim
from kit.scoring import stats

LEVEL = 0.05


def share(c: int, n: int) -> str:
    """c of n in per cent, as a table prints it."""
    return f"{100 * c / n:.1f}"


def possible(printed: str, n: int, units: float = 0.5) -> bool:
    """Whether some count of n gives the printed percentage, to half of its last digit."""
    half = units * 10.0 ** -len(printed.partition(".")[2])
    return len(grim.find_counts(float(printed), half, n)) > 0


def discordant(first: Sequence[int], second: Sequence[int]) -> list[int]:
    """[tasks that only the first solves, tasks that only the second solves]."""
    pairs = list(zip(first, second, strict=True))
    return [pairs.count((1, 0)), pairs.count((0, 1))]


def mcnemar(only_first: int, only_second: int, sides: int = 2) -> float:
    """The exact two-sided p of McNemar's test; of one side, the chance of so few or fewer."""
    if sides == 1:
        n = only_first + only_second
        least = min(only_first, only_second)
        return float(sum(math.comb(n, i) for i in range(least + 1)) / 2**n)
    return stats.sign_test([1] * only_first + [-1] * only_second)


def smallest_p(pairs: int) -> float:
    """The smallest two-sided p that a sign test of so many discordant pairs can give."""
    return min(1.0, 2 * 0.5**pairs)


def fewest(level: float, against: int = 0) -> int:
    """The fewest discordant pairs with which a sign test can reach p <= level.

    against: so many of them point the other way.
    """
    pairs = 1 + against
    while mcnemar(pairs - against, against) > level:
        pairs += 1
    return pairs


def most_joint(passed: float, secure: float) -> float:
    """The largest share of samples that can be both."""
    return min(passed, secure)


def joint_range(passed: float, secure: float, off: float = 0.0) -> list[float]:
    """The least and the largest share of samples that can be both (Frechet's bounds).

    off: by so much either share may be off.
    """
    return [max(0.0, passed + secure - 1 - 2 * off), min(1.0, passed + off, secure + off)]


def _draw_printed(rng: np.random.Generator) -> dict[str, Any]:
    n = int(rng.integers(12, 60))
    is_share = bool(rng.integers(2))
    digits = int(rng.integers(1, 3))
    value = 100 * rng.integers(0, n + 1) / n if is_share else rng.uniform(0, 100)
    return {"printed": f"{value:.{digits}f}", "n": n}


def _shares(rng: np.random.Generator) -> dict[str, float]:
    return {"passed": round(float(rng.uniform()), 2), "secure": round(float(rng.uniform()), 2)}


def _whole(rng: np.random.Generator, *names: str) -> dict[str, int]:
    return {name: int(rng.integers(0, 12)) for name in names}


EXERCISES = (
    ask_function(
        "6.1p",
        "Print a share",
        share,
        fixed=[{"c": 1, "n": 3}, {"c": 307, "n": 307}],
        drawn=lambda rng: {"c": int(rng.integers(0, 50)), "n": int(rng.integers(50, 90))},
    ),
    ask_function(
        "6.1",
        "Can this share come from so many tasks?",
        possible,
        4,
        fixed=[
            {"printed": "33.3", "n": 30},
            {"printed": "33.4", "n": 30},
            {"printed": "38.6", "n": 307},
            {"printed": "100.0", "n": 7},
        ],
        drawn=_draw_printed,
        seal=Seal(
            "within {units} units of the last printed digit, not half of one.", {"units": (2, 3, 4)}
        ),
    ),
    ask_function(
        "6.2p",
        "Pairs that tell two models apart",
        discordant,
        fixed=[{"first": [1, 1, 0], "second": [1, 0, 1]}],
        drawn=lambda rng: {
            side: [int(v) for v in rng.integers(0, 2, 15)] for side in ("first", "second")
        },
    ),
    ask_function(
        "6.2",
        "McNemar's exact test",
        mcnemar,
        4,
        fixed=[
            {"only_first": 0, "only_second": 0},
            {"only_first": 6, "only_second": 0},
            {"only_first": 3, "only_second": 3},
        ],
        drawn=lambda rng: _whole(rng, "only_first", "only_second"),
        seal=Seal(
            "one-sided: the chance of so few heads, neither doubled nor cut.", {"sides": (1,)}
        ),
    ),
    ask_function(
        "6.3p",
        "The smallest p that a sign test can give",
        smallest_p,
        fixed=[{"pairs": 0}, {"pairs": 5}],
        drawn=lambda rng: _whole(rng, "pairs"),
    ),
    ask_function(
        "6.3",
        "How many pairs does a result need?",
        fewest,
        2,
        fixed=[{"level": LEVEL}, {"level": 0.01}],
        drawn=lambda rng: {"level": float(math.pow(10, -rng.uniform(1, 4)))},
        seal=Seal("{against} of the pairs point the other way.", {"against": (1, 2, 3)}),
    ),
    ask_function(
        "6.4p",
        "How many samples can be both?",
        most_joint,
        fixed=[{"passed": 0.4, "secure": 0.7}],
        drawn=_shares,
    ),
    ask_function(
        "6.4",
        "Which joint shares are possible?",
        joint_range,
        3,
        fixed=[{"passed": 0.4, "secure": 0.7}, {"passed": 0.2, "secure": 0.3}],
        drawn=_shares,
        seal=Seal("either share may be off by {off}, up or down.", {"off": (0.01, 0.02, 0.05)}),
    ),
)
