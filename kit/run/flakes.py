"""Finds flaky tests: tests that get another verdict when the same program is executed again.

A cell is one test of one sample. Scores use repeat 0, the run's own execution of a cell, and bounds
state what they would be if every flaky cell had failed, or had passed.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from kit.core.errors import KitError
from kit.core.records import Outcome
from kit.core.store import Store
from kit.run.suites import of_run
from kit.scoring import measures
from kit.scoring.reduce import NOT_THE_MODELS
from kit.scoring.stats import wilson_interval


def read_repeats(store: Store) -> pd.DataFrame:
    """One row per cell and repeat, with status and outcome; KitError where nothing was repeated."""
    rows = store.repeats()
    if rows.empty and not (suite := of_run(store)).repeats:
        raise KitError(f"The suite {suite.name} cannot repeat tests, so flaky tests are unknown.")
    if rows.empty:
        raise KitError("This run has no repeats. Run its command again with --repeat 3.")
    return rows[~rows["status"].isin(NOT_THE_MODELS)].reset_index(drop=True)


def compare_repeats(rows: pd.DataFrame) -> pd.DataFrame:
    """One row per cell seen twice or more: its status in the first repeat, flaky or not, and why.

    flaky: the outcomes differ. cause: the statuses that differ, else the reasons of the verdicts.
    shaky: the status differs although every outcome is the same.
    """
    keys = ["task", "model", "sample", "slot", "test", "kind", "cwe"]
    counted = []
    for key, part in rows.groupby(keys, sort=False, dropna=False):
        if len(part) < 2:
            continue
        flaky = part["outcome"].nunique() > 1
        turned = part["status"].nunique() > 1
        cause = ""
        if turned:
            cause = " / ".join(part["status"].unique())
        elif flaky:
            cause = " / ".join(part["reason"].unique())
        counted.append(
            {
                **dict(zip(keys, key, strict=True)),
                "repeats": len(part),
                "status": part["status"].iloc[0],
                "flaky": flaky,
                "shaky": turned and not flaky,
                "cause": cause,
                "outcomes": " ".join(part["outcome"]),
            }
        )
    columns = [*keys, "repeats", "status", "flaky", "shaky", "cause", "outcomes"]
    return pd.DataFrame(counted, columns=columns)


def measure_rates(tests: pd.DataFrame, *, by: str = "status") -> pd.DataFrame:
    """flaky / cells with Wilson's 95 % interval, for all and for each value of a column.

    The interval takes cells as independent trials; tests of one program that flake together make
    it too short.
    """
    lines = []
    for name, part in [("all", tests), *tests.groupby(by, sort=True)]:
        if len(part):
            rate = wilson_interval(int(part["flaky"].sum()), len(part), unit="cell")
            numbers = {"cells": len(part), "flaky": int(part["flaky"].sum())}
            ends = {"rate": rate.estimate, "low": rate.low, "high": rate.high}
            lines.append({by: name, **numbers, "shaky": int(part["shaky"].sum()), **ends})
    return pd.DataFrame(lines, columns=[by, "cells", "flaky", "shaky", "rate", "low", "high"])


def bound_scores(
    tidy: pd.DataFrame,
    tests: pd.DataFrame,
    *,
    by: Sequence[str] | None = None,
    rng: np.random.Generator,
    n_boot: int = 5000,
) -> pd.DataFrame:
    """`measures.measure` of a run's frame, with flake_low and flake_high beside each estimate.

    They are the estimate if every flaky cell (rows of `compare_repeats`) had failed, or passed.
    """
    out = measures.measure(tidy, by=by, k=(1,), rng=rng, n_boot=n_boot)
    flaky = tests[tests["flaky"]].set_index(["slot", "test"]).index
    is_flaky = pd.MultiIndex.from_frame(tidy[["slot", "test"]]).isin(flaky)
    for name, outcome in (("flake_low", Outcome.FAIL), ("flake_high", Outcome.PASS)):
        moved = tidy.assign(outcome=tidy["outcome"].mask(is_flaky, str(outcome)))
        out[name] = measures.measure(moved, by=by, k=(1,), rng=rng, n_boot=1)["estimate"]
    return out


def build_report(store: Store, *, by: Sequence[str], rng: np.random.Generator) -> dict[str, Any]:
    """For a repeated run: flake rates by status and kind, causes, the flaky cells, and scores.

    by: the columns that scores are grouped by; default: those of the run's arms.
    """
    tests = compare_repeats(read_repeats(store))
    tidy = store.frame()
    unsteady = tests[tests["flaky"] | tests["shaky"]].groupby(["cause", "kind"], sort=False)
    causes = unsteady[["flaky", "shaky"]].sum().reset_index()
    columns = list(by) or measures.select_arm_columns(tidy)
    scores = bound_scores(tidy, tests, by=columns, rng=rng, n_boot=500)
    numbers = ("metric", "estimate", "low", "high", "flake_low", "flake_high")
    return {
        "by status": measure_rates(tests),
        "by kind": measure_rates(tests, by="kind"),
        "causes": causes.sort_values("flaky", ascending=False, kind="stable", ignore_index=True),
        "flaky cells": tests[tests["flaky"]].drop(columns=["slot", "flaky", "shaky"]),
        "scores": scores[[*columns, *numbers]],
    }


def format_report(tables: dict[str, Any]) -> str:
    """The result of `build_report` for a terminal."""
    filled = {name: rows for name, rows in tables.items() if len(rows)}
    parts = [f"{name}:\n{rows.round(4).to_string(index=False)}" for name, rows in filled.items()]
    if tables["by status"].empty:
        return "\n".join([*parts, "No test was executed twice."])
    every = tables["by status"].iloc[0]
    rate, low, high = (100 * every[name] for name in ("rate", "low", "high"))
    line = f"{every['flaky']} of {every['cells']} tests are flaky: {rate:.2f} %"
    return "\n".join([*parts, f"{line} [{low:.2f}, {high:.2f}]"])
