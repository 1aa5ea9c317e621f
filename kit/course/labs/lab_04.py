"""Lab 4: measuring and steering a model: estimators, denominators, intervals, a prediction."""

import json
import math
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
    if n < k or least == 1:
        return None if n < k else float(at_k.estimate(n, c, k=k))
    return sum(math.comb(c, i) * math.comb(n - c, k - i) for i in range(least, k + 1)) / math.comb(
        n, k
    )


def denominator(statuses: Sequence[str]) -> int:
    """Samples that count: all that were asked for, but for those that our own machine lost."""
    return sum(s != "infra_error" for s in statuses)


def bounds(outcomes: Sequence[str], empty: str = "no_program") -> dict[str, float] | None:
    """The share that passes if every unknown fails, and if every unknown passes.

    empty: the word that no_program counts as.
    """
    words = [empty if o == "no_program" else o for o in outcomes]
    counted = [o for o in words if o != "infra_error"]
    if not counted:
        return None
    good, unknown = counted.count("pass"), counted.count("unknown")
    return {"low": good / len(counted), "high": (good + unknown) / len(counted)}


def wald(c: int, n: int) -> list[float]:
    """p - z s and p + z s with s = sqrt(p (1 - p) / n)."""
    p = c / n
    half = Z * math.sqrt(p * (1 - p) / n)
    return [p - half, p + half]


def wilson(c: int, n: int, level: int = 95) -> list[float]:
    """Wilson's score interval at 95%."""
    interval = stats.wilson_interval(c, n, level=level / 100)
    return [interval.low, interval.high]


def predicted(said: Any, _: Setting) -> list[Remark]:
    """A share for every arm; no share is wrong, but it must stand before the run."""
    if not isinstance(said, dict) or set(said) != set(ARMS):
        return [Remark(False, f"give a share for each of {', '.join(ARMS)}", needed=True)]
    ok = all(type(v) in (int, float) and 0 <= v <= 1 for v in said.values())
    return [Remark(ok, "each prediction is a share from 0 to 1", needed=True)]


@cache
def decoded(arm: str, n: int, *, tokens: int = 32, seed: int = 4) -> list[Completion]:
    """n completions of the lab's prompt by the embedded model; the model loads at the first.

    plain: nucleus sampling; hint: the same with a comment before it; constrained: beams under the
    constraints.
    """
    if arm not in ARMS:
        raise KitError(f"Unknown arm {arm!r}. Use one of: {', '.join(ARMS)}.")
    from kit.systems.codeguard.decode.sampling import constrained_beam, nucleus

    model, words = LocalModel().load()
    prompt = words.encode(PROMPT[arm])
    settings = DecodingSettings(max_new_tokens=tokens, temperature=0.8)
    if arm == "constrained":
        settings = DecodingSettings(max_new_tokens=tokens, beams=n)
    request = Request(model, words, prompt, n, settings, seed, CONSTRAINTS)
    return (constrained_beam if arm == "constrained" else nucleus)(request)


def steered(n: int, *, live: bool = False) -> pd.DataFrame:
    """One row a completion: arm, met, text. From the recording, or written now, n of each arm."""
    if not live:
        rows = [json.loads(line) for line in RECORDED.read_text(encoding="utf-8").splitlines()]
        return pd.DataFrame(rows)[["arm", "met", "text"]]
    decoded_rows = [(arm, c.met, c.text) for arm in ARMS for c in decoded(arm, n)]
    return pd.DataFrame(decoded_rows, columns=["arm", "met", "text"])


def record(n: int) -> None:
    """Write the recording anew, with what made it."""
    identity = LocalModel().identity
    rows = [
        {"arm": arm, "met": c.met, "text": c.text, "seed": c.seed, "model": identity}
        for arm in ARMS
        for c in decoded(arm, n)
    ]
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    replace_whole(RECORDED, lines)


def _counts(rng: np.random.Generator) -> dict[str, int]:
    n = int(rng.integers(5, 30))
    return {"c": int(rng.integers(0, n + 1)), "n": n}


STATUSES = ["completed", "timeout", "compile_error", "extraction_error", "refused", "infra_error"]
OUTCOMES = ["pass", "fail", "unknown", "no_program", "infra_error"]
SHARES = [0.4, 0.2, 0.2, 0.1, 0.1]


EXERCISES = (
    ask_function(
        "4.1p",
        "at_one",
        "pass@1 of a task",
        0,
        solution=at_one,
        fixed=[{"n": 10, "c": 3}],
        drawn=_counts,
    ),
    ask_function(
        "4.1",
        "estimate",
        "The unbiased at-k estimator",
        3,
        solution=estimate,
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
        "denominator",
        "Which samples count?",
        0,
        solution=denominator,
        fixed=[{"statuses": []}, {"statuses": ["timeout", "infra_error"]}],
        drawn=lambda rng: {"statuses": list(map(str, rng.choice(STATUSES, 15)))},
    ),
    ask_function(
        "4.2",
        "bounds",
        "Bounds where outcomes are unknown",
        3,
        solution=bounds,
        fixed=[
            {"outcomes": ["pass", "unknown", "no_program", "infra_error"]},
            {"outcomes": ["infra_error"]},
        ],
        drawn=lambda rng: {"outcomes": list(map(str, rng.choice(OUTCOMES, 15, p=SHARES)))},
        seal=Seal("no_program counts as {empty} does.", {"empty": ("infra_error", "unknown")}),
    ),
    ask_function(
        "4.3p",
        "wald",
        "The interval of the text books",
        0,
        solution=wald,
        fixed=[{"c": 5, "n": 10}, {"c": 0, "n": 10}],
        drawn=_counts,
    ),
    ask_function(
        "4.3",
        "wilson",
        "An interval that keeps its width",
        3,
        solution=wilson,
        fixed=[{"c": 0, "n": 10}, {"c": 10, "n": 10}],
        drawn=_counts,
        seal=Seal("at {level} %, not at 95 %.", {"level": (80, 90, 98, 99)}),
    ),
    ask_value("4.4", "prediction", "A prediction before the run", 1, predicted),
)
