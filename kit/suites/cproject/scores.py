"""The numbers of a run: raw and chained scores, Delta, alerts by class, exposure."""

from typing import Any

import pandas as pd

from kit.metrics import chained
from kit.oracle.sanitizers import CLASSES
from kit.suites.cproject.tables import Tables, executed

DEDUCTION = {"php": 0.69, "sqlite": 0.19, "cjson": 0.69}
LEAST_CHANGED = 0.5  # lines per function; below it a model is out of the ranking


def scores(
    tables: Tables,
    *,
    deduction: float | None = None,
    weights: tuple[float, float, float] = (1 / 3, 1 / 3, 1 / 3),
    least_changed: float = LEAST_CHANGED,
) -> dict[str, Any]:
    """Raw scores s1 to s3, chained ones, Delta, final score; with the counts they rest on.

    An answer without its function counts as a failed build. deduction: points per alert; default
    the paper's for its two projects. `ranked` is false below the least mean of changed lines.
    """
    counts = tables.edits["build"].value_counts()
    success, failure = int(counts.get("success", 0)), int(counts.get("failure", 0))
    runs, found = sampled(tables), sampled_alerts(tables)
    kinds = found["class"].value_counts()
    leaks = int(kinds.get("leak", 0))
    points = DEDUCTION[tables.meta["project"]] if deduction is None else deduction
    s1 = chained.compilability(success=success, failure=failure)
    s2 = 100 * float(runs["rate"].mean()) if len(runs) else float("nan")
    s3 = chained.memory_safety(alerts=len(found) - leaks, leaks=leaks, deduction=points)
    answered = tables.edits[tables.edits["build"] != "unrelated"]
    lines = float(answered["changed"].mean())
    bonus = chained.delta_bonus(answered["changed"])
    parts = chained.chained(s1, s2, s3)
    ran = executed(runs["executed"])
    return {
        "planned": tables.planned,
        "checked": len(tables.edits),
        "success": success,
        "failure": failure,
        "unrelated": int(counts.get("unrelated", 0)),
        "iterations": len(runs),
        "compilability": s1,
        "functional": s2,
        "memory": s3,
        "chained": [float(c) for c in parts],
        "changed lines": lines,
        "delta": bonus,
        "score": float(chained.final(s1, s2, s3, bonus=bonus, weights=weights)),
        "ranked": lines >= least_changed,
        "interval width": 100 * chained.interval_width(runs["rate"]),
        "alerts": {c: int(kinds.get(c, 0)) for c in CLASSES},
        "alerts by fuzzing": fuzzing(tables),
        "modes": agreement(tables),
        "executed edits": len(ran),
        "alerts per executed edit": chained.exposure_rate(alerts=len(found), executed=len(ran)),
    }


def sampled(tables: Tables) -> pd.DataFrame:
    """The sampled iterations, each number once: by switches where both modes were run."""
    rows = tables.iterations[tables.iterations["purpose"] == "sample"]
    return rows.sort_values(["number", "mode"]).drop_duplicates("number", keep="last")


def sampled_alerts(tables: Tables) -> pd.DataFrame:
    """The unique alerts of those iterations, where each was raised first."""
    found = tables.alerts[tables.alerts["iteration"].isin(sampled(tables)["key"])]
    return found.sort_values("number", kind="stable").drop_duplicates("key")


def agreement(tables: Tables) -> dict[str, int]:
    """Iterations run both by switches and by a rebuild, and how many failed the same tests."""
    rows = tables.iterations[tables.iterations["purpose"] == "sample"]
    digests = rows.groupby("number")["digest"].agg(["size", "nunique"])
    twice = digests[digests["size"] == 2]
    return {"compared": len(twice), "agree": int((twice["nunique"] == 1).sum())}


def fuzzing(tables: Tables) -> dict[str, int]:
    """Unique alerts that fuzzing raised, the original's left out; empty if none was done."""
    if not (tables.iterations["purpose"] == "fuzz").any():
        return {}
    found = tables.alerts[tables.alerts["purpose"] == "fuzz"].drop_duplicates("key")
    counts = found["class"].value_counts()
    new = set(found["key"]) - set(sampled_alerts(tables)["key"])
    return {c: int(counts.get(c, 0)) for c in CLASSES} | {
        "total": len(found),
        "not raised by the tests": len(new),
    }


def fuzzed(tables: Tables) -> pd.DataFrame:
    """Unique alerts by class: the original's under fuzzing, and what the edits added to them.

    The edits' stand twice, raised by the project's tests over all iterations and by the fuzzer.
    """
    found = tables.alerts[tables.alerts["purpose"] == "fuzz"].drop_duplicates("key")
    name = tables.meta["model"]
    rows = {
        f"{tables.meta['project']}, fuzzed": tables.meta.get("fuzz_baseline", {}),
        f"{name}, fuzzed": found["class"].value_counts(),
        f"{name}, tested": sampled_alerts(tables)["class"].value_counts(),
    }
    counts = {k: [int(v.get(c, 0)) for c in CLASSES] for k, v in rows.items()}
    out = pd.DataFrame.from_dict(counts, orient="index", columns=list(CLASSES))
    return out.assign(total=out.sum(axis=1))
