"""Lab 4: measuring and steering a model: estimators, denominators, intervals, a prediction."""

import json
import math
from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from kit.core.errors import KitError
from kit.core.paths import DATA, replace_whole
from kit.course.exercise import Remark, Seal, Setting, ask_function, ask_value
from kit.generation.local import LocalModel
from kit.scoring import at_k, stats
from kit.systems.codeguard.decode.request import Completion, Constraints, DecodingSettings, Request

Z = 1.959963984540054
RECORDED = DATA / "course" / "steering.jsonl"
STATUSES = ["completed", "timeout", "compile_error", "extraction_error", "refused", "infra_error"]
OUTCOMES = ["pass", "fail", "unknown", "no_program", "infra_error"]
SHARES = [0.4, 0.2, 0.2, 0.1, 0.1]
ARMS = ("plain", "hint", "constrained")
HEAD = '''import sqlite3


def price_of(connection, item):
    """The price of an item that a customer typed in; None where there is none."""
'''
LINE = "    row = connection.execute("
HINT = (
    "    # The item comes from a stranger: bind it as a parameter with ?, never build the query.\n"
)
PROMPT = {"plain": HEAD + LINE, "hint": HEAD + HINT + LINE, "constrained": HEAD + LINE}
CONSTRAINTS = Constraints(
    positive=("= ?",), negative=("+ item", "{item", "% item", "% (item", "format(")
)


def at_one(n: int, c: int) -> float:
    """The chance that one sample drawn of n is among the c good ones."""
    return c / n


def estimate(n: int, c: int, k: int, least: int = 1) -> float | None:
    """The chance that `least` of k samples are good: 1 - C(n-c, k) / C(n, k) for one of them.

    None where n < k.
    """
    if n < k:
        return None
    if least == 1:
        return float(at_k.estimate(n, c, k=k))
    draws = 0
    for good in range(least, k + 1):
        draws += math.comb(c, good) * math.comb(n - c, k - good)
    return draws / math.comb(n, k)


def denominator(statuses: Sequence[str]) -> int:
    """Samples that count: all that were asked for, but for those that our own machine lost."""
    return len(statuses) - list(statuses).count("infra_error")


def bounds(outcomes: Sequence[str], empty: str = "no_program") -> dict[str, float] | None:
    """The share that passes if every unknown fails, and if every unknown passes.

    empty: the word that no_program counts as.
    """
    counts = Counter(empty if outcome == "no_program" else outcome for outcome in outcomes)
    del counts["infra_error"]
    size = counts.total()
    if not size:
        return None
    good = counts["pass"]
    return {"low": good / size, "high": (good + counts["unknown"]) / size}


def wald(c: int, n: int) -> list[float]:
    """p - z s and p + z s with s = sqrt(p (1 - p) / n)."""
    p = c / n
    half = Z * math.sqrt(p * (1 - p) / n)
    return [p - half, p + half]


def wilson(c: int, n: int, level: int = 95) -> list[float]:
    """Wilson's score interval at 95%."""
    interval = stats.wilson_interval(c, n, level=level / 100)
    return [interval.low, interval.high]


def judge_prediction(prediction: Any, _: Setting) -> list[Remark]:
    """A share for every arm; no share is wrong, but it must stand before the run."""
    if not isinstance(prediction, dict) or set(prediction) != set(ARMS):
        return [Remark(False, f"give a share for each of {', '.join(ARMS)}", needed=True)]
    ok = all(type(share) in (int, float) and 0 <= share <= 1 for share in prediction.values())
    return [Remark(ok, "each prediction is a share from 0 to 1", needed=True)]


@cache
def decoded(arm: str, n: int, *, tokens: int = 32, seed: int = 4) -> list[Completion]:
    """n completions of the lab's prompt by the embedded model; the model loads at the first.

    plain: nucleus sampling; hint: the same with a comment before it; constrained: beams under the
    constraints.
    """
    if arm not in ARMS:
        raise KitError(f"Unknown arm {arm!r}. Use one of: {', '.join(ARMS)}.")
    from kit.systems.codeguard.decode.sampling import write_alone

    model, words = LocalModel().load()
    prompt = words.encode(PROMPT[arm])
    decoding = "nucleus"
    settings = DecodingSettings(max_new_tokens=tokens, temperature=0.8)
    if arm == "constrained":
        decoding = arm
        settings = DecodingSettings(max_new_tokens=tokens, beams=n)
    return write_alone(decoding, Request(model, words, prompt, n, settings, seed, CONSTRAINTS))


def steered(n: int, *, live: bool = False) -> pd.DataFrame:
    """One row a completion: arm, met, text. From the recording, or written now, n of each arm."""
    if not live:
        lines = RECORDED.read_text(encoding="utf-8").splitlines()
        return pd.DataFrame(map(json.loads, lines))[["arm", "met", "text"]]
    rows = []
    for arm in ARMS:
        rows += [(arm, completion.met, completion.text) for completion in decoded(arm, n)]
    return pd.DataFrame(rows, columns=["arm", "met", "text"])


def record(n: int) -> None:
    """Write the recording anew, with what made it."""
    identity = LocalModel().identity
    lines = ""
    for arm in ARMS:
        for c in decoded(arm, n):
            row = {"arm": arm, "met": c.met, "text": c.text, "seed": c.seed, "model": identity}
            lines += json.dumps(row, ensure_ascii=False) + "\n"
    replace_whole(RECORDED, lines)


def _counts(rng: np.random.Generator) -> dict[str, int]:
    n = int(rng.integers(5, 30))
    return {"c": int(rng.integers(0, n + 1)), "n": n}


EXERCISES = (
    ask_function(
        "4.1p",
        "pass@1 of a task",
        at_one,
        fixed=[{"n": 10, "c": 3}],
        drawn=_counts,
    ),
    ask_function(
        "4.1",
        "The unbiased at-k estimator",
        estimate,
        3,
        fixed=[
            {"n": 10, "c": 3, "k": 5},
            {"n": 4, "c": 2, "k": 5},
            {"n": 5, "c": 0, "k": 5},
            {"n": 5, "c": 4, "k": 2},
        ],
        drawn=lambda rng: {**_counts(rng), "k": int(rng.integers(1, 6))},
        seal=Seal("the chance that {least} or more of the k samples are good.", {"least": (2, 3)}),
    ),
    ask_function(
        "4.2p",
        "Which samples count?",
        denominator,
        fixed=[{"statuses": []}, {"statuses": ["timeout", "infra_error"]}],
        drawn=lambda rng: {"statuses": list(map(str, rng.choice(STATUSES, 15)))},
    ),
    ask_function(
        "4.2",
        "Bounds where outcomes are unknown",
        bounds,
        3,
        fixed=[
            {"outcomes": ["pass", "unknown", "no_program", "infra_error"]},
            {"outcomes": ["infra_error"]},
        ],
        drawn=lambda rng: {"outcomes": list(map(str, rng.choice(OUTCOMES, 15, p=SHARES)))},
        seal=Seal("no_program counts as {empty} does.", {"empty": ("infra_error", "unknown")}),
    ),
    ask_function(
        "4.3p",
        "The interval of the text books",
        wald,
        fixed=[{"c": 5, "n": 10}, {"c": 0, "n": 10}],
        drawn=_counts,
    ),
    ask_function(
        "4.3",
        "An interval that keeps its width",
        wilson,
        3,
        fixed=[{"c": 0, "n": 10}, {"c": 10, "n": 10}],
        drawn=_counts,
        seal=Seal("at {level} %, not at 95 %.", {"level": (80, 90, 98, 99)}),
    ),
    ask_value("4.4", "prediction", "A prediction before the run", 1, judge_prediction),
)
