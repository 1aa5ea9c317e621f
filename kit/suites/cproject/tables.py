"""The tables of a run of C projects, read from its file: edits, iterations, alerts."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from kit.records import Status
from kit.store import Store, slot_of
from kit.suites.cproject.work import index_of

EDITS = ["slot", "function_index", "name", "path", "key", "build", "why", "changed", "mode"]
ITERATIONS = ["key", "purpose", "number", "mode", "edits", "executed", "rate", "passed", "planned",
              "ended", "note", "digest", "modules"]  # fmt: skip
ALERTS = ["iteration", "key", "kind", "class", "edits", "purpose", "number"]
BASELINES = ("baseline", "fuzz baseline")
TESTED = (*BASELINES, "sample", "fuzz")  # kinds of trials that run the tests, or a fuzzer


@dataclass(frozen=True)
class Tables:
    """A run as its notebook reads it. meta: the run's notes, and its settings among them.

    edits: a row for each answered function. iterations: one for each run of the tests or of a
    fuzzer; `modules` counts failed tests by module, `digest` is equal where the same ones failed.
    alerts: one for each alert and iteration, without those that the original raises.
    """

    meta: dict[str, Any]
    edits: pd.DataFrame
    iterations: pd.DataFrame
    alerts: pd.DataFrame
    planned: int


def load(run: str | Path) -> Tables:
    """The tables of a run, by name, folder or file."""
    with Store(run, write=False) as store:
        return read(store)


def read(store: Store) -> Tables:
    """The tables of an open run."""
    meta = store.meta()
    trials = [t for t in store.trials() if t["kind"] in TESTED]
    runs = pd.DataFrame(
        [t | {"purpose": t["kind"], "number": t["position"]} for t in trials], columns=ITERATIONS
    )
    found = _findings(store, runs)
    clean = found["purpose"].isin(BASELINES)
    known = found[found["purpose"] == "fuzz baseline"].drop_duplicates("key")
    counts = {str(c): int(n) for c, n in known["class"].value_counts().sort_index().items()}
    alerts = found[~found["key"].isin(set(found.loc[clean, "key"])) & ~clean]
    return Tables(
        {**meta.get("settings", {}), **meta, "fuzz_baseline": counts},
        _edits(store),
        runs,
        alerts.reset_index(drop=True),
        store.counts()[0],
    )


def _edits(store: Store) -> pd.DataFrame:
    plans = store.trials("schemata")
    modes = plans[-1]["modes"] if plans else {}
    rows = []
    for sample in store.samples():
        slot = slot_of(sample)
        seen, _ = store.cell(slot, "build")
        if seen is not None and seen.status not in (Status.INFRA_ERROR, Status.NOT_RUN):
            index = seen.observed.value["function_index"]
            rows.append({"slot": slot, "key": store.evidence_key(slot, "build"),
                         "mode": modes.get(str(index), ""), **seen.observed.value})  # fmt: skip
    table = pd.DataFrame(rows, columns=EDITS)
    return table.sort_values("function_index", kind="stable", ignore_index=True)


def _findings(store: Store, runs: pd.DataFrame) -> pd.DataFrame:
    """Every finding with the iteration that raised it, and the functions whose edits it names."""
    owner = {slot_of(s): index_of(s.task) for s in store.samples()}
    found = store.findings().rename(columns={"trial": "iteration", "rule": "class"})
    found["edits"] = [sorted({owner[s] for s in slots if s in owner}) for slots in found["slots"]]
    of = runs[["key", "purpose", "number"]].rename(columns={"key": "iteration"})
    return found.merge(of, on="iteration")[ALERTS].sort_values(
        ["purpose", "number", "key"], kind="stable"
    )


def executed(rows: Iterable[Iterable[int]]) -> set[int]:
    """The edits that ran in any of these iterations."""
    return {index for row in rows for index in row}
