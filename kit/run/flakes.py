"""How often the same test of the same program gets another verdict when it is executed again.

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
from kit.generation.cost import BudgetReached
from kit.harness.llm.planner import Planner
from kit.metrics.stats import wilson
from kit.pool import Tally, pool
from kit.records import Evidence, Outcome, Task, content_key
from kit.run import pipeline
from kit.run.pipeline import Cell
from kit.sandbox import Sandbox
from kit.store import Store, slot_of

TABLE = """
CREATE TABLE IF NOT EXISTS repeats (slot TEXT, test TEXT, repeat INTEGER, evidence TEXT,
    verdict TEXT, PRIMARY KEY (slot, test, repeat)) WITHOUT ROWID
"""
QUERY = """
SELECT slots.task, slots.model, slots.sample, r.test, t.kind, t.cwe, r.repeat, e.status,
    v.outcome, v.oracle, v.reason, r.slot
FROM repeats r JOIN slots ON slots.slot = r.slot
JOIN tests t ON t.task = slots.task AND t.test = r.test
JOIN evidence e ON e.key = r.evidence JOIN verdicts v ON v.key = r.verdict
ORDER BY slots.rowid, t.position, r.repeat
"""
NOT_SEEN = ("infra_error", "not_run")  # says nothing of the program


def repeat_key(cell: Cell, repeat: int) -> str:
    """The identity of one more execution of the same thing; repeat 0 is the run's own."""
    return cell.key if repeat == 0 else content_key(cell.key, "repeat", repeat)


def repeat(
    store: Store,
    tasks: Sequence[Task],
    box: Sandbox,
    *,
    times: int,
    workers: int = 2,
    planner: Planner | None = None,
) -> Tally:
    """Execute every settled cell `times` times in all, and judge each by the offline oracle.

    What was repeated before is not run again; equal programs are run once in each repeat.
    """
    by_id, tally = {t.id: t for t in tasks}, Tally()
    store.db.execute(TABLE)
    settled = store.settled()
    known = [c for c in pipeline.cells(store, by_id, box) if c.key in settled]

    def execute(group: list[Cell]) -> Evidence:
        first = group[0]
        return pipeline.run_one(box, first.task, first.test, first.sample, planner=planner)

    for number in range(times):
        todo: dict[str, list[Cell]] = {}
        for cell in (replace(c, key=repeat_key(c, number)) for c in known):
            if cell.key in settled:
                _put(store, cell, number)
                tally.cached += number > 0
            else:
                todo.setdefault(cell.key, []).append(cell)
        groups, title = list(todo.values()), f"repeat {number}"
        try:
            for group, evidence in pool(execute, groups, workers=workers, title=title):
                store.put_evidence(group[0].key, evidence)
                for cell in group:
                    _put(store, cell, number)
                failed = evidence.status in NOT_SEEN
                tally.infra += failed * len(group)
                tally.fresh += (not failed) * len(group)
        except BudgetReached as stop:
            tally.note = str(stop)
    return tally


def _put(store: Store, cell: Cell, number: int) -> None:
    key = pipeline.verdict_of(store, cell)
    row = (slot_of(cell.sample), cell.test.id, number, cell.key, key)
    store.db.execute("INSERT OR REPLACE INTO repeats VALUES (?,?,?,?,?)", row)


def frame(store: Store) -> pd.DataFrame:
    """One row per cell and repeat, with status and outcome; KitError where nothing was repeated."""
    there = "SELECT 1 FROM sqlite_master WHERE name = 'repeats'"
    if store.db.execute(there).fetchone() is None:
        raise KitError("Nothing was repeated in this run. Give its command again with --repeat 3.")
    rows = pd.read_sql_query(QUERY, store.db)
    return rows[~rows["status"].isin(NOT_SEEN)].reset_index(drop=True)


def cells(rows: pd.DataFrame) -> pd.DataFrame:
    """One row per cell seen twice or more: its status in the first repeat, flaky or not, and why.

    flaky: the outcomes differ. cause: the statuses that differ, else the reasons of the verdicts.
    shaky: the status differs although every outcome is the same.
    """
    keys = ["task", "model", "sample", "slot", "test", "kind", "cwe"]
    made = []
    for key, part in rows.groupby(keys, sort=False, dropna=False):
        if len(part) < 2:
            continue
        flaky, turned = part["outcome"].nunique() > 1, part["status"].nunique() > 1
        told = part["status"] if turned else part["reason"]
        made.append({**dict(zip(keys, key, strict=True)), "repeats": len(part),
                     "status": part["status"].iloc[0], "flaky": flaky,
                     "shaky": turned and not flaky,
                     "cause": " / ".join(dict.fromkeys(told)) if flaky or turned else "",
                     "outcomes": " ".join(part["outcome"])})  # fmt: skip
    columns = [*keys, "repeats", "status", "flaky", "shaky", "cause", "outcomes"]
    return pd.DataFrame(made, columns=columns)


def rates(found: pd.DataFrame, *, by: str = "status", level: float = 0.95) -> pd.DataFrame:
    """flaky / cells with Wilson's interval, for all and for each value of a column of `cells`.

    The interval takes cells as independent trials; tests of one program that flake together make
    it too short.
    """
    parts = [("all", found), *found.groupby(by, sort=True)]
    made = []
    for name, part in parts:
        if len(part):
            rate = wilson(int(part["flaky"].sum()), len(part), level=level, unit="cell")
            numbers = {"cells": len(part), "flaky": int(part["flaky"].sum())}
            ends = {"rate": rate.estimate, "low": rate.low, "high": rate.high}
            made.append({by: name, **numbers, "shaky": int(part["shaky"].sum()), **ends})
    return pd.DataFrame(made, columns=[by, "cells", "flaky", "shaky", "rate", "low", "high"])


def causes(found: pd.DataFrame) -> pd.DataFrame:
    """How many flaky and shaky cells each cause has, the most frequent first."""
    odd = found[found["flaky"] | found["shaky"]]
    counts = odd.groupby(["cause", "kind"], sort=False)[["flaky", "shaky"]].sum().reset_index()
    return counts.sort_values("flaky", ascending=False, kind="stable", ignore_index=True)


def measure(
    tidy: pd.DataFrame,
    found: pd.DataFrame,
    *,
    by: Sequence[str] = ("model",),
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
    """Rates by status, kind and in all, causes, and each flaky cell, of a repeated run."""
    found = cells(frame(store))
    return {
        "by status": rates(found),
        "by kind": rates(found, by="kind"),
        "causes": causes(found),
        "flaky cells": found[found["flaky"]].drop(columns=["slot", "flaky", "shaky"]),
    }


def text(told: dict[str, Any]) -> str:
    """The result of `report` for a terminal."""
    shown = {name: rows for name, rows in told.items() if len(rows)}
    parts = [f"{name}:\n{rows.round(4).to_string(index=False)}" for name, rows in shown.items()]
    first = told["by status"].iloc[0] if len(told["by status"]) else None
    line = "No test was seen twice." if first is None else (
        f"{first['flaky']} of {first['cells']} tests got more than one verdict: "
        f"{100 * first['rate']:.2f} % [{100 * first['low']:.2f}, {100 * first['high']:.2f}]"
    )  # fmt: skip
    return "\n".join([*parts, line])
