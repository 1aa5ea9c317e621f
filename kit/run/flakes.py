"""Finds flaky tests: tests that get another verdict when the same program is executed again.

A cell is one test of one sample. It counts as it came in repeat 0, the run's own execution; the
bounds stand beside: every flaky cell failed, every flaky cell passed. Repeats are executed round by
round, so that the machine is in another state each time.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from kit import measures
from kit.errors import KitError
from kit.metrics.stats import wilson
from kit.pool import Tally
from kit.records import Evidence, Outcome, Task, Trial, content_key
from kit.run import pipeline
from kit.sandbox import Sandbox
from kit.store import Store, slot_of
from kit.suite import Suite
from kit.suites import of_run

NOT_SEEN = ("infra_error", "not_run")  # no evidence about the program


def repeat_key(trial: Trial, repeat: int) -> str:
    """The identity of one more execution of the same thing; repeat 0 is the run's own."""
    return trial.key if repeat == 0 else content_key(trial.key, "repeat", repeat)


def repeat(
    store: Store, suite: Suite, tasks: Sequence[Task], box: Sandbox, *, times: int, workers: int = 2
) -> Tally:
    """Execute every settled trial `times` times in all, and judge each by the offline oracle.

    What was repeated before is not run again; equal programs are run once in each repeat.
    """
    total, settled = Tally(), store.settled()
    trials = [t for part in pipeline.rounds(store, suite, tasks, box) for t in part]
    last = {(slot_of(c.sample), c.test.id): t.key for t in trials for c in t.cells}
    counted = set(last.values())  # a test counts as its last variant shows it
    trials = [t for t in trials if not t.cells or t.key in counted]
    for number in range(times):
        done = _round(store, suite, trials, box, number, settled, workers)
        total = total + (replace(done, cached=0) if number == 0 else done)
    return total


def _round(
    store: Store, suite: Suite, trials: list[Trial], box: Sandbox, number: int,
    settled: set[str], workers: int,
) -> Tally:  # fmt: skip
    again = [replace(t, key=repeat_key(t, number)) for t in trials if t.key in settled]

    def put(group: list[Trial], evidence: Evidence) -> str:
        store.put_evidence(group[0].key, evidence)
        record(group[0])
        return (evidence.note or "no reason given") if evidence.status in NOT_SEEN else ""

    def record(trial: Trial) -> None:
        keys = pipeline.verdict_keys(store, suite, trial)
        for cell, (verdict, _) in zip(trial.cells, keys, strict=True):
            slot = slot_of(cell.sample)
            store.put_repeat(slot, cell.test.id, number, evidence=trial.key, verdict=verdict)

    def known(trial: Trial) -> bool:
        if trial.key not in settled:
            return False
        record(trial)
        return True

    return pipeline.stage(again, lambda t: pipeline.run_one(suite, t, box), put,
                          key=lambda t: t.key, known=known, workers=workers,
                          title=f"repeat {number}", size=lambda t: len(t.cells))  # fmt: skip


def frame(store: Store) -> pd.DataFrame:
    """One row per cell and repeat, with status and outcome; KitError where nothing was repeated."""
    rows = store.repeats()
    if rows.empty and not (suite := of_run(store)).repeats:
        raise KitError(f"The suite {suite.name} cannot repeat tests, so flaky tests are unknown.")
    if rows.empty:
        raise KitError("This run has no repeats. Run its command again with --repeat 3.")
    return rows[~rows["status"].isin(NOT_SEEN)].reset_index(drop=True)


def cells(rows: pd.DataFrame) -> pd.DataFrame:
    """One row per cell seen twice or more: its status in the first repeat, flaky or not, and why.

    flaky: the outcomes differ. cause: the statuses that differ, else the reasons of the verdicts.
    shaky: the status differs although every outcome is the same.
    """
    keys = ["task", "model", "sample", "slot", "test", "kind", "cwe"]
    counted = []
    for key, part in rows.groupby(keys, sort=False, dropna=False):
        if len(part) < 2:
            continue
        flaky, turned = part["outcome"].nunique() > 1, part["status"].nunique() > 1
        turns = part["status"] if turned else part["reason"]
        counted.append({**dict(zip(keys, key, strict=True)), "repeats": len(part),
                     "status": part["status"].iloc[0], "flaky": flaky,
                     "shaky": turned and not flaky,
                     "cause": " / ".join(dict.fromkeys(turns)) if flaky or turned else "",
                     "outcomes": " ".join(part["outcome"])})  # fmt: skip
    columns = [*keys, "repeats", "status", "flaky", "shaky", "cause", "outcomes"]
    return pd.DataFrame(counted, columns=columns)


def rates(found: pd.DataFrame, *, by: str = "status", level: float = 0.95) -> pd.DataFrame:
    """flaky / cells with Wilson's interval, for all and for each value of a column of `cells`.

    The interval takes cells as independent trials; tests of one program that flake together make
    it too short.
    """
    parts = [("all", found), *found.groupby(by, sort=True)]
    lines = []
    for name, part in parts:
        if len(part):
            rate = wilson(int(part["flaky"].sum()), len(part), level=level, unit="cell")
            numbers = {"cells": len(part), "flaky": int(part["flaky"].sum())}
            ends = {"rate": rate.estimate, "low": rate.low, "high": rate.high}
            lines.append({by: name, **numbers, "shaky": int(part["shaky"].sum()), **ends})
    return pd.DataFrame(lines, columns=[by, "cells", "flaky", "shaky", "rate", "low", "high"])


def causes(found: pd.DataFrame) -> pd.DataFrame:
    """The number of flaky and shaky cells by cause, the most frequent first."""
    unsteady = found[found["flaky"] | found["shaky"]]
    counts = unsteady.groupby(["cause", "kind"], sort=False)[["flaky", "shaky"]].sum().reset_index()
    return counts.sort_values("flaky", ascending=False, kind="stable", ignore_index=True)


def measure(
    tidy: pd.DataFrame,
    found: pd.DataFrame,
    *,
    by: Sequence[str] | None = None,
    k: Sequence[int] = (1,),
    rng: np.random.Generator,
    n_boot: int = 5000,
) -> pd.DataFrame:
    """`table.measure` of a run's frame, with flake_low and flake_high beside each estimate.

    They are the estimate if every flaky cell (rows of `cells`) had failed, or passed.
    """
    out = measures.measure(tidy, by=by, k=k, rng=rng, n_boot=n_boot)
    flaky = found[found["flaky"]].set_index(["slot", "test"]).index
    mine = pd.MultiIndex.from_frame(tidy[["slot", "test"]]).isin(flaky)
    for name, outcome in (("flake_low", Outcome.FAIL), ("flake_high", Outcome.PASS)):
        moved = tidy.assign(outcome=tidy["outcome"].mask(mine, str(outcome)))
        out[name] = measures.measure(moved, by=by, k=k, rng=rng, n_boot=1)["estimate"]
    return out


def report(store: Store) -> dict[str, Any]:
    """For a repeated run: flake rates by status and kind, causes, and the flaky cells."""
    tests = cells(frame(store))
    return {
        "by status": rates(tests),
        "by kind": rates(tests, by="kind"),
        "causes": causes(tests),
        "flaky cells": tests[tests["flaky"]].drop(columns=["slot", "flaky", "shaky"]),
    }


def text(told: dict[str, Any]) -> str:
    """The result of `report` for a terminal."""
    shown = {name: rows for name, rows in told.items() if len(rows)}
    parts = [f"{name}:\n{rows.round(4).to_string(index=False)}" for name, rows in shown.items()]
    first = told["by status"].iloc[0] if len(told["by status"]) else None
    line = "No test was executed twice." if first is None else (
        f"{first['flaky']} of {first['cells']} tests are flaky: "
        f"{100 * first['rate']:.2f} % [{100 * first['low']:.2f}, {100 * first['high']:.2f}]"
    )  # fmt: skip
    return "\n".join([*parts, line])
