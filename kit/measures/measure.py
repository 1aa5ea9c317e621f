"""Every metric per group, with its interval, its bounds for what is undecided, and the counts."""

import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pandas as pd

from kit.errors import KitError
from kit.measures import metric, reduce
from kit.measures.metric import Metric
from kit.measures.reduce import POLICY, Policy, Table
from kit.metrics import at_k, bootstrap
from kit.metrics.bootstrap import Clusters, clusters

POOLS = "Pools different values of "  # begins the note on arms that --by left together
MOST_UNDECIDED = 0.05  # of what a rate rests on; above it the data name no value, only bounds


def measure(
    frame: Table,
    *,
    by: Sequence[str] | None = None,
    k: Sequence[int] = (1,),
    rng: np.random.Generator,
    n_boot: int = 5000,
    level: float = 0.95,
    within: bool = True,
    policy: Policy = POLICY,
) -> pd.DataFrame:
    """One row per group, metric and k: estimate, interval, bounds, counts of samples, a note.

    by: columns; None takes what tells the arms of the table apart, so that nothing is pooled.
    PR and SPR over pooled tests, and "(task mean)"; pass@k, secure@k, secure-pass@k; secure@k_pass
    (0 where nothing passes: CodeGuard+ Definition 3.4) and "(defined)". All are shares in [0, 1].
    bound_low, bound_high: all that is undecided or lost to our own failures fails, or passes.
    undecided: its share of what the rate rests on. The estimate counts what is undecided as failed
    and leaves out what our own failures spoiled; above a share of 0.05 it is NaN, for the data name
    no value. low, high: hold the true value wherever within the bounds it lies (Imbens and Manski
    2004), by a bootstrap over tasks, then samples within (within=False: tasks only).
    frame: the tidy table, or its parts one after the other, each of whole samples.
    coverage: the share of tasks that the estimate rests on. By "cwe": security tests only.
    """
    good = isinstance(k, Sequence) and k and all(isinstance(x, int) and x >= 1 for x in k)
    if not good or n_boot < 1 or not 0 < level < 1:
        raise KitError(
            f"Got k = {k}, n_boot = {n_boot}, level = {level}. Use whole numbers from 1 on "
            "and a level between 0 and 1, as k=(1, 5), n_boot=5000, level=0.95."
        )
    split = ["cwe"] if by and "cwe" in by else []
    rows = reduce.samples(frame, policy=policy, split=split)
    by = reduce.arms(rows) if by is None else by
    reduce.check_columns(rows, by)
    parts = []
    for key, group in groups(rows, by):
        cells = _measure(group, tuple(k), rng=rng, n_boot=n_boot, level=level, within=within)
        names = dict(zip(by, key, strict=True))
        numbers = reduce.count(group, ()).iloc[0].to_dict()
        arms = [c for c in reduce.arm_columns(group) if c not in by]
        mixed = [c for c in arms if group[c].nunique(dropna=False) > 1]
        pooled = f"{POOLS}{', '.join(mixed)}." if mixed else ""  # though nobody asked for it
        parts += [
            {**names, **c, **numbers, "note": " ".join(filter(None, (c["note"], pooled)))}
            for c in cells
        ]
    return pd.DataFrame(parts)


def groups(rows: pd.DataFrame, by: Sequence[str]) -> Iterator[tuple[tuple[Any, ...], pd.DataFrame]]:
    """The rows of each group, in order of appearance; all where `by` names nothing."""
    grouped = (
        rows.groupby(list(by), sort=False, dropna=False, observed=True) if by else [((), rows)]
    )
    return iter(grouped)


def _measure(group: pd.DataFrame, k: tuple[int, ...], **options: Any) -> list[dict[str, Any]]:
    axes = [a for a in reduce.AXES if group[f"{a}_tests"].any()]
    chosen = metric.metrics(axes, k)
    task = group.groupby(["suite", "task"], sort=False).ngroup().to_numpy()
    tasks, counted = int(task.max()) + 1, group["counted"].to_numpy()
    possible = metric.limits(group)
    whole = {"n": len(group), **possible.sum()}
    sure = metric.settled(group[counted])
    data = clusters(sure.to_numpy(), task[counted]) if counted.any() else None
    sums = metric.by_name(list(sure), data.sums) if data else {}
    cells = []
    with warnings.catch_warnings():  # said once, in the note
        warnings.simplefilter("ignore", at_k.TooFewSamples)
        ends = metric.ends(chosen, possible, task, **options)
        point: Any = [np.nan] * len(chosen)
        if data:
            point = bootstrap.value(data, metric.terms_of(chosen, list(sure), data))
        for m, p, (limits, around) in zip(chosen, point, ends, strict=True):
            open_ = metric.undecided(m, whole)
            estimate = float(p) if open_ <= MOST_UNDECIDED else np.nan
            cells.append(
                {"metric": m.name, "k": m.k, **asdict(replace(around, estimate=estimate)),
                 "bound_low": limits[0], "bound_high": limits[1], "undecided": open_,
                 "tasks": tasks, "coverage": metric.coverage(m, sums, tasks) if data else 0.0,
                 "note": _few(m, data, sums, tasks)}
            )  # fmt: skip
    return cells


def _few(m: Metric, data: Clusters | None, sums: Mapping[str, Any], tasks: int) -> str:
    """Why there is no value, or no interval."""
    if data is None:
        return "No sample was judged."
    if tasks < 2:
        return "One task: no interval over tasks."
    if m.form == "any":
        return at_k.too_few(data.sizes, k=m.drawn)
    if m.form == "paper":
        passed = sums["functional_low"]
        return at_k.too_few(passed[passed > 0], k=m.drawn)
    return ""


OPEN = (
    f"A rate with more than {100 * MOST_UNDECIDED:g} % undecided has no point: its bounds stand "
    "first, and the interval holds the true value wherever between them it lies."
)


def text(scores: pd.DataFrame) -> str:
    """The result of `measure`: percentages, bounds, intervals, counts; each note once, at the end.

    A note that is not of every group names its groups.
    """
    by = list(scores.columns[: list(scores.columns).index("metric")])
    lines, noted, names = list[str](), dict[str, list[str]](), list[str]()
    for key, group in groups(scores, by):
        first = group.iloc[0]
        levels = ("not set" if pd.isna(v) else v for v in key)
        names.append(", ".join(f"{c} {v}" for c, v in zip(by, levels, strict=True)) or "all")
        reached = ", ".join(f"{first[c]} {c}" for c in reduce.COUNTS)
        lines.append(f"{names[-1]}: {first['tasks']} tasks; samples: {reached}")
        lines += [f"  {row['metric']:<30}{value(row)}" for _, row in group.iterrows()]
        notes = [n.strip() for note in group["note"] for n in re.split(f"(?={POOLS})", note)]
        notes += [OPEN] * bool((group.get("undecided", pd.Series(0.0)) > MOST_UNDECIDED).any())
        for note in dict.fromkeys(filter(None, notes)):
            noted.setdefault(note, []).append(names[-1])
    for note, of in noted.items():
        where = "" if of == names else f" ({'; '.join(of)})"
        lines.append(f"note{where}: {note}")
    return "\n".join(lines)


def value(row: pd.Series) -> str:
    """The point and its interval; where too much is undecided, the bounds and theirs."""
    point, low, high, least, most = (
        f"{100 * row[c]:.1f}" for c in ("estimate", "low", "high", "bound_low", "bound_high")
    )
    around = "" if pd.isna(row["low"]) else f"  [{low}, {high}]"
    known = not pd.isna(row["bound_low"])
    bounds = f"lower bound {least}, upper bound {most}"
    open_ = row.get("undecided", 0.0)
    if open_ > MOST_UNDECIDED and known:
        return f"{bounds}{around}  {100 * open_:.0f} % undecided"
    exact = row["bound_low"] == row["bound_high"] == row["estimate"]
    return f"{point:>5}{around}" + ("" if exact or not known else f"  {bounds}")
