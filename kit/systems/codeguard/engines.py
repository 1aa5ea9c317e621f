"""Every engine that is here, measured against the labels and beside the exploit tests.

A positive is a completion that is labelled insecure. precision = found and insecure / found, recall
= found and insecure / insecure; what an engine did not read is not found, and is counted beside.
"""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from kit.metrics.bootstrap import bootstrap, clusters, value
from kit.metrics.rates import RATES, terms_of_sums
from kit.metrics.stats import Interval, seed, wilson
from kit.oracle import sast
from kit.records import Cell, Evidence, Outcome, Sample, Task, Trial
from kit.sandbox import Sandbox
from kit.store import Store, slot_of
from kit.systems.codeguard import scan
from kit.systems.codeguard.item import Item

BEST = "best"
ENGINES = (BEST, *sast.ENGINES)
HALVES = ("tuned half", "held-out half")


def verdicts(
    items: Mapping[str, Item], tasks: Sequence[Task], samples: Sequence[Sample], box: Sandbox,
    store: Store,
) -> pd.DataFrame:  # fmt: skip
    """One row per engine and labelled completion: its label, the engine's outcome, the exploit's.

    What an engine was started on before, in this store, is not scanned again.
    """
    by_id, rows = {t.id: t for t in tasks}, []
    here = [BEST, *(name for name in sast.ENGINES if name != BEST and sast.version(name))]
    for engine in here:
        able = sast.ENGINES[engine].languages if engine != BEST else ("python", "c")
        mine = [s for s in samples if items[s.task].language in able]
        cells = [(Cell(by_id[s.task], scan.test(items[s.task]), s), items[s.task]) for s in mine]
        for trial in scan.trials(cells, engine, box, store):
            judged = scan.judge(trial, _evidence(trial, box, store))
            if judged.data is not None:
                store.put_trial(trial.key, trial.kind, trial.position, judged.data)
            for cell, verdict in zip(trial.cells, judged.verdicts, strict=True):
                rows.append(_row(cell, verdict.outcome, store) | {
                    "engine": engine, "version": verdict.oracle, "sentence": verdict.sentence,
                })  # fmt: skip
    return pd.DataFrame(rows)


def _evidence(trial: Trial, box: Sandbox, store: Store) -> Evidence:
    if (known := store.evidence(trial.key)) is not None and store.knows(trial.key):
        return known
    found = scan.execute(trial.data, box)
    store.put_evidence(trial.key, found)
    return found


def _row(cell: Cell, outcome: Outcome, store: Store) -> dict[str, Any]:
    sample = cell.sample
    exploit = store.cell(slot_of(sample), "exploit")[1]
    return {
        "task": sample.task, "program": sample.arm["program"], "language": sample.language,
        "cwe": cell.test.cwe, "kind": sample.label,
        "label": "fail" if sample.label.startswith("insecure") else "pass",
        "outcome": str(outcome), "exploit": str(exploit.outcome) if exploit else "",
    }  # fmt: skip


def rates(rows: pd.DataFrame, *, n_boot: int = 2000) -> list[dict[str, Any]]:
    """Precision, recall, F1 of each engine, in all, by half, language and CWE, with intervals.

    Intervals resample tasks; where there is one task, or resampling cannot vary, precision and
    recall get Wilson's over programs, which share a task and so are alike: too short, if anything.
    """
    made = []
    for engine, part in rows.groupby("engine", sort=False):
        groups = {"all": part}
        groups |= {str(k): g for k, g in part.groupby(part["task"].map(half), sort=False)}
        groups |= {str(k): g for k, g in part.groupby("language", sort=True)}
        groups |= {str(k): g for k, g in part.groupby("cwe", sort=True)}
        made += [{"engine": engine, "of": name, **_rates(g, n_boot)} for name, g in groups.items()]
    return made


def half(task: str) -> str:
    """By the parity of SHA-256 of the id: since this split, our rules change by one half only.

    Rules that are older were written with all labels in sight, so the other half's figure is out
    of sample for the changes since, not for every rule.
    """
    return HALVES[hashlib.sha256(task.encode()).digest()[-1] % 2]


def _rates(rows: pd.DataFrame, n_boot: int) -> dict[str, Any]:
    bad, found = rows["label"] == "fail", rows["outcome"] == "fail"
    counts = np.stack([bad & found, ~bad & found, bad & ~found], axis=1).astype(float)
    data = clusters(counts, rows["task"].to_numpy())
    tp, fp, fn = (int(n) for n in counts.sum(axis=0))
    limits = _limits(data, n_boot, tp, fp, fn)
    unread = int((rows["outcome"] == "unknown").sum())
    told: dict[str, Any] = {"programs": len(rows), "tasks": len(data.names)}
    told |= {"tp": tp, "fp": fp, "fn": fn, "unread": unread}
    for name, i in zip(RATES, limits, strict=True):
        told |= {name: i.estimate, f"{name}_low": i.low, f"{name}_high": i.high}
    return told


def _limits(data: Any, n_boot: int, tp: int, fp: int, fn: int) -> list[Interval]:
    point = value(data, terms_of_sums)
    if len(data.names) > 1:
        made = list(
            bootstrap(data, terms_of_sums, rng=seed("engines"), n_boot=n_boot, within=False)
        )
    else:
        made = [Interval(float(p), np.nan, np.nan, 0.95, 0, "none") for p in point]
    for n, whole in enumerate((tp + fp, tp + fn)):
        if whole and not made[n].low < made[n].high:
            made[n] = wilson(tp, whole, unit="program (Wilson)")
    return made


def differing(rows: pd.DataFrame) -> pd.DataFrame:
    """Where the best engine's verdict is not the exploit tests': both, the label, the sentence."""
    mine = rows[(rows["engine"] == BEST) & (rows["exploit"] != "")]
    odd = mine[mine["outcome"] != mine["exploit"]]
    return odd[["task", "program", "cwe", "label", "outcome", "exploit", "sentence"]]


def beside(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """Per engine, over the programs that have an exploit test: how often both say the same."""
    mine = rows[rows["exploit"].isin(["pass", "fail"])]
    made = []
    for engine, part in mine.groupby("engine", sort=False):
        table = pd.crosstab(part["outcome"], part["exploit"])
        told = {f"{a} / {b}": int(table.get(b, {}).get(a, 0))
                for a in ("pass", "fail", "unknown") for b in ("pass", "fail")}  # fmt: skip
        same = (part["outcome"] == part["exploit"]).mean()
        made.append({"engine": engine, "programs": len(part), "agree": float(same), **told})
    return made


def text(told: Mapping[str, Any]) -> str:
    """The measured engines for a terminal."""
    rows = pd.DataFrame(told["engines"])
    shown = rows[rows["of"].isin(["all", *HALVES, "python", "c"])]
    lines = ["Static analysis against the labels; a positive is an insecure completion."]
    lines.append(shown.round(3).to_string(index=False))
    lines.append("Beside the exploit tests (static / exploit).")
    lines.append(pd.DataFrame(told["beside"]).round(3).to_string(index=False))
    lines += [
        f"{d['task']} {d['program']}: static {d['outcome']}, exploit {d['exploit']}, "
        f"label {d['label']}. {d['sentence']}" for d in told["differing"]
    ]  # fmt: skip
    return "\n".join(lines)
