"""What a bar of the page and a mark of a figure stand for: a value, or the span it lies in."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from kit.run.export import escape_controls
from kit.scoring import measures

ARMS = 3  # arms whose scores are bars


def read_points(row: Mapping[str, Any], value: str = "value") -> list[float]:
    """The value of a row, or in its place the two bounds; empty without both."""
    names = ["bound_low", "bound_high"] if pd.isna(row[value]) else [value]
    return [row[name] for name in names if pd.notna(row[name])]


def write_points(points: Sequence[float], digits: int = 1) -> str:
    """A value as "25.0", bounds as "18.8 to 31.2"."""
    return " to ".join([f"{point:.{digits}f}" for point in points])


def list_bars(scores: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """The headline scores of the first arms, in per cent: name, points, and interval."""
    by = measures.group_columns(scores)
    scores = measures.fill_settings(scores, by)
    rows = measures.convert_to_percent(measures.select_headline(scores))
    if by:
        rows = rows.merge(rows[by].drop_duplicates().head(ARMS))
    differing = scores[by].nunique(dropna=False) > 1
    for row in rows.to_dict("records"):
        arm = ", ".join([str(row[name]) for name in differing.index[differing]])
        yield {
            "name": row["words"] or row["metric"],
            "metric": escape_controls(f"{row['metric']} {arm}"),
            **describe_bar(row),
        }


def describe_bar(row: Mapping[str, Any]) -> dict[str, Any]:
    """Of a score in per cent: its points, these as text, and its interval or ()."""
    points = read_points(row)
    return {
        "points": points,
        "text": write_points(points),
        "interval": () if pd.isna(row["ci_low"]) else (row["ci_low"], row["ci_high"]),
    }
