"""The scores of a run as rows of kit.measures.measure, in [0, 1], with what they rest on."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd

from kit import measures
from kit.errors import KitError
from kit.metrics.stats import Interval, wilson
from kit.store import Store
from kit.suites.cproject import contamination, scores, tables
from kit.suites.cproject.tables import Tables, executed

LEVEL = 0.95


def measure(
    store: Store, *, by: Sequence[str], rng: np.random.Generator, n_boot: int
) -> pd.DataFrame:
    """One row per score; of a run that only asked, one per share of recognised functions.

    compilability: Wilson's interval over edits; functional test: a bootstrap over iterations; the
    others have none. bound_low, bound_high: edits that were not checked fail, or build. coverage:
    the share of functions with an edit that was checked, put to the tests, or ran. chained: each
    times those before it. Delta: 0.1 for each changed line, in points as the paper's column.
    """
    frame = store.frame()
    names = _names(frame, by)
    numbers = measures.counts(frame).iloc[0].to_dict()
    probe = contamination.read(store)
    if probe.empty:
        rows = _edited(tables.read(store), rng, n_boot)
    else:
        rows = _asked(probe, store.counts()[0])
    return pd.DataFrame([{**names, **row, **numbers, "note": row["note"]} for row in rows])


def _names(frame: pd.DataFrame, by: Sequence[str]) -> dict[str, Any]:
    """The one value of each column: iterations mix all edits of a run, so it has one score."""
    if odd := [c for c in by if c not in frame or frame[c].nunique(dropna=False) > 1]:
        raise KitError(f"A run of a C project has one score, none for each {', '.join(odd)}. "
                       "Leave --by out.")  # fmt: skip
    return {c: frame[c].iloc[0] for c in by}


def _row(
    name: str, interval: Interval, tasks: int, rests: float, note: str = "",
    bounds: tuple[float, float] | None = None,
) -> dict[str, Any]:  # fmt: skip
    low, high = bounds or (interval.estimate, interval.estimate)
    return {"metric": name, "k": None, **asdict(interval), "bound_low": low, "bound_high": high,
            "tasks": tasks, "coverage": rests, "note": note}  # fmt: skip


def _plain(points: float) -> Interval:
    return Interval(points / 100, np.nan, np.nan, LEVEL, 0, "none")


def _edited(t: Tables, rng: np.random.Generator, n_boot: int) -> list[dict[str, Any]]:
    got, runs = scores.scores(t), scores.sampled(t)
    built, tasks = got["success"] + got["failure"], t.planned
    share = wilson(got["success"], built, unit="edit (Wilson)") if built else _plain(np.nan)
    open_ = tasks - built
    bounds = got["success"] / tasks, (got["success"] + open_) / tasks
    checked, held, ran = (n / tasks for n in (
        built, len(executed(runs["edits"])), got["executed edits"]))  # fmt: skip
    _, tests, memory = got["chained"]
    seen = t.meta.get("faults_seen", {})
    kinds = "; ".join(f"{kind}: {words}" for kind, words in seen.items())
    alerts = ", ".join(f"{n} {c}" for c, n in got["alerts"].items() if n) or "none"
    said = f"{got['iterations']} iterations, edits in force by {t.meta.get('mode', 'schemata')}."
    lines = f"{got['changed lines']:.2f} changed lines a function."
    out = "" if got["ranked"] else " Below 0.5 the paper ranks no model."
    return [
        _row("compilability", share, tasks, checked, bounds=bounds),
        _row("functional test", _resampled(runs["rate"], got, rng, n_boot), tasks, held, said),
        _row("memory safety", _plain(got["memory"]), tasks, ran,
             f"Alerts: {alerts}." + (f" Faults that can be seen: {kinds}." if kinds else "")),
        _row("chained tests", _plain(tests), tasks, held),
        _row("chained memory", _plain(memory), tasks, ran),
        _row("Delta", _plain(got["delta"]), tasks, checked, lines + out),
        _row("score", _plain(got["score"]), tasks, checked),
    ]  # fmt: skip


def _resampled(
    rates: pd.Series, got: dict[str, Any], rng: np.random.Generator, n_boot: int
) -> Interval:
    """The mean pass rate, with percentiles of its mean over resampled iterations."""
    if len(rates) < 2:
        return _plain(got["functional"])
    means = rng.choice(rates.to_numpy(dtype=float), size=(n_boot, len(rates))).mean(axis=1)
    low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(got["functional"] / 100, float(low), float(high), LEVEL, n_boot, "iteration")


def _asked(rows: pd.DataFrame, planned: int) -> list[dict[str, Any]]:
    """The shares of functions that the model placed, all and those whose text names nothing."""
    known = contamination.summary(rows)
    groups = {
        "recognised": (known["recognised"], known["asked"]),
        "recognised, unnamed": (known["of these recognised"],
                                known["without the name in the text"]),
    }  # fmt: skip
    return [
        _row(name, wilson(found, of, unit="function (Wilson)") if of else _plain(np.nan),
             of, of / planned, f"{found} of {of} functions.")
        for name, (found, of) in groups.items()
    ]  # fmt: skip
