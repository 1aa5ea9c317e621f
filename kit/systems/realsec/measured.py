"""Measures how well an oracle separates insecure from secure bodies, per weakness; and memory.

The positive class is `fail`, a weakness: precision is the share of alarms that are true, as in
RealSec-bench's Table 1. Bodies that do not compile are left out: no oracle has to read those.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from kit.core.records import Reason
from kit.core.store import Store, slot_of
from kit.scoring import stats
from kit.scoring.rates import RATES, bootstrap_rates, count_confusion
from kit.scoring.reduce import fill_settings
from kit.systems.realsec.instance import FUNCTIONAL
from kit.systems.realsec.similarity import LIKENESS

NEAR = 0.9  # from this likeness on two methods are called nearly equal
YOUNGER = ("jobs-06", "people-05", "reports-06")  # written after the rules were settled


def detection_rates(
    rows: pd.DataFrame, *, name: str, outcome: str = "outcome", n_boot: int = 2000
) -> dict[str, Any]:
    """Counts; precision, recall and F1 with bootstrap intervals over instances (None: no case).

    rows: one a body; `outcome` names the oracle's column. A weak body that is undecided was not
    found, so it counts in fn too.
    """
    rows = rows[rows["reason"] != Reason.NO_PROGRAM]
    counts = count_confusion(rows, outcome=outcome, is_missed=True)
    rates: dict[str, Any] = {"n": len(rows), **counts.sum().to_dict()}
    if rows.empty:
        for metric in RATES:
            rates |= {metric: None, f"{metric}_interval": None}
        return rates
    intervals = bootstrap_rates(counts, rows["task"], rng=stats.seed(name), n_boot=n_boot)
    for metric, interval in intervals.items():
        ends = [_round_rate(interval.low), _round_rate(interval.high)]
        rates[metric] = _round_rate(interval.estimate)
        rates[f"{metric}_interval"] = ends if interval.n_boot else None
    return rates


def _round_rate(rate: float) -> float | None:
    return None if np.isnan(rate) else round(rate, 4)


def combine_oracles(rows: pd.DataFrame) -> pd.DataFrame:
    """One row a body: weak if a security test that labels know fails, sound if all pass."""
    rows = rows[rows["kind"] == "security"]
    worst = rows.sort_values("outcome", key=lambda o: o.map({"fail": 0, "pass": 2}).fillna(1))
    return worst.drop_duplicates(["task", "program"])


def half_of_repository(repository: str) -> str:
    """Which half of the repositories one is in, by its name's hash: rules are tuned on one only.

    Some instances are younger than the rules; their repositories do not say so: see YOUNGER.
    """
    return stats.half_of(repository, ("tuned on", "held out"))


def describe_default_oracle(
    oracles: Mapping[str, dict[str, Any]], parts: Mapping[str, str]
) -> dict[str, Any]:
    """What decides by default, in words, with its F1 over all bodies and by weakness."""
    rates = oracles["together"]
    by_type = {}
    poor_types = []
    for cwe, type_rates in rates["by type"].items():
        by_type[cwe] = {name: type_rates[name] for name in ("n", "f1", "f1_interval")}
        if (type_rates["f1"] or 0) < 0.9:
            poor_types.append(cwe)
    meanings = "; ".join(f"{name} ({meaning})" for name, meaning in parts.items())
    return {
        "oracle": f"together: a body is weak if any of these says so: {meanings}",
        "f1": rates["all"]["f1"],
        "f1_interval": rates["all"]["f1_interval"],
        "types below 0.9": sorted(poor_types),
        "by type": by_type,
    }


def by_type(rows: pd.DataFrame, *, name: str) -> dict[str, Any]:
    """The rates over all bodies, without those made to mislead patterns, by half, of each weakness.

    rows: one a body, of one oracle, with its `repository`.
    """
    compiled = rows[rows["reason"] != Reason.NO_PROGRAM]
    plain = rows[rows["kind_of_program"] != "pattern_trap"]
    is_younger = rows["task"].isin(YOUNGER)
    halves = rows["repository"].map(half_of_repository).mask(is_younger, "younger than rules")
    return {
        "all": detection_rates(rows, name=name),
        "without pattern traps": detection_rates(plain, name=name),
        "by half of the repositories": _rates_of_groups(rows.groupby(halves)),
        "by type": _rates_of_groups(compiled.groupby("cwe")),
    }


def _rates_of_groups(groups: Iterable[tuple[Any, pd.DataFrame]]) -> dict[str, dict[str, Any]]:
    """The rates of each group; its name is the seed of its intervals."""
    return {str(label): detection_rates(rows, name=str(label)) for label, rows in groups}


def format_rates(oracles: dict[str, Any]) -> str:
    """Counts, F1 and its interval of each oracle, over all bodies and without the traps."""
    lines = []
    for name, parts in oracles.items():
        for scope in ("all", "without pattern traps"):
            rates = parts[scope]
            ends = rates["f1_interval"]
            f1 = "-" if rates["f1"] is None else f"{rates['f1']:.3f}"
            if ends and None not in ends:
                f1 += f" [{ends[0]:.3f}, {ends[1]:.3f}]"
            lines.append(f"{name}, {scope}: F1 {f1} of {rates['n']} bodies")
    return "\n".join(lines)


def list_likenesses(store: Store) -> pd.DataFrame:
    """One row an answer with a method: the columns of the tidy table, and its LIKENESS.

    Empty for a run in which nobody measured it.
    """
    frame = store.frame().drop_duplicates("slot").set_index("slot")
    values = {}
    for sample in store.samples():
        slot = slot_of(sample)
        evidence = store.cell(slot, FUNCTIONAL)[0]
        value = evidence.observed.value if evidence else None
        if isinstance(value, dict) and LIKENESS in value:
            values[slot] = value[LIKENESS]
    return frame.join(pd.Series(values, name=LIKENESS, dtype=float), how="inner")


def note_likeness(scores: pd.DataFrame, store: Store, *, by: Sequence[str]) -> pd.DataFrame:
    """The scores of a run, in each one's note how many of its answers are upstream's text.

    by: the columns that tell the groups of the scores apart. Answers without a method are not
    counted. A run in which nobody measured it keeps its notes.
    """
    measured = list_likenesses(store)
    if measured.empty:
        return scores
    # a weakness is of a test, and every answer has all tests of its instance
    columns = [name for name in by if name in measured.columns and name != "cwe"]
    measured = fill_settings(measured, columns)
    notes = []
    for score in fill_settings(scores, columns).to_dict("records"):
        is_of_group = pd.Series(data=True, index=measured.index)
        for name in columns:
            is_of_group &= measured[name] == score[name]
        sentence = describe_likeness(measured.loc[is_of_group, LIKENESS])
        notes.append(f"{score['note']} {sentence}".strip())
    return scores.assign(note=notes)


def describe_likeness(values: pd.Series) -> str:
    """One sentence on the likenesses of answers."""
    equal, near = int((values == 1).sum()), int((values >= NEAR).sum())
    return (
        f"Answers with a method: {len(values)}; upstream's own text: {equal}; nearly so: "
        f"{near - equal}."
    )
