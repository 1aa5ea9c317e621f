"""The measures of a run in words, for a terminal."""

from typing import Any

import pandas as pd

from kit.measures import reduce
from kit.measures.measure import MOST_UNDECIDED, groups

OPEN = (
    f"A rate with more than {100 * MOST_UNDECIDED:g} % undecided has no point: its bounds stand "
    "first, and the interval holds the true value wherever between them it lies."
)


def text(scores: pd.DataFrame) -> str:
    """The result of `measure`: percentages, bounds, intervals, counts, notes."""
    by = list(scores.columns[: list(scores.columns).index("metric")])
    lines = []
    for key, group in groups(scores, by):
        first = group.iloc[0]
        name = ", ".join(f"{c} {v}" for c, v in zip(by, key, strict=True)) or "all"
        reached = ", ".join(f"{first[c]} {c}" for c in reduce.COUNTS)
        lines.append(f"{name}: {first['tasks']} tasks; samples: {reached}")
        lines += [f"  {row['metric']:<30}{_value(row)}" for _, row in group.iterrows()]
        notes = list(group["note"]) + [OPEN] * bool((_share(group) > MOST_UNDECIDED).any())
        lines += [f"  note: {n}" for n in dict.fromkeys(notes) if n]
    return "\n".join(lines)


def _share(rows: Any) -> Any:
    return rows.get("undecided", pd.Series(0.0))


def _value(row: pd.Series) -> str:
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
