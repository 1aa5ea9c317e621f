"""Rows of the published tables by a short selector, and pairs of rows that belong together."""

import operator
from collections.abc import Callable
from typing import Any

import pandas as pd

from kit.errors import KitError
from kit.papers import published
from kit.papers.audit.ranges import Range, around

SIGNS: dict[str, Callable[[Any], Any]] = {"!=": operator.invert, "=": lambda found: found}


def pick(paper: str, selector: str) -> pd.DataFrame:
    """Rows of a table: "2", "2 model=gpt-4.1|gpt-5-medium; metric!=PR", "claims claim=tasks".

    A value that ends with * matches by its beginning. "a + b" is the rows of both by the keys that
    both have, each key once. "2±" has the half-widths of the printed intervals as its
    values. No row is a mistake of the selector.
    """
    parts = [_one(paper, part) for part in selector.split(" + ")]
    if len(parts) == 1:
        return parts[0]
    both = [k for k in published.keys(parts[0]) if all(k in published.keys(p) for p in parts)]
    rows = pd.concat([p[[*both, "metric", "value", "printed", "tolerance"]] for p in parts])
    rows = rows.drop_duplicates([*both, "metric"], ignore_index=True)
    rows.attrs = parts[0].attrs
    return rows


def _one(paper: str, selector: str) -> pd.DataFrame:
    name, _, conditions = selector.partition(" ")
    frame = published.table(paper, name.removesuffix("±"))
    if name.endswith("±"):
        frame = frame.assign(value=(frame["ci_high"] - frame["ci_low"]) / 2)
        frame = frame[frame["value"].notna()]
    for condition in filter(None, conditions.split("; ")):
        sign = "!=" if "!=" in condition else "="
        column, _, wanted = condition.partition(sign)
        if column not in frame:
            raise KitError(f"{paper}/{name} has no column {column!r}: {', '.join(frame.columns)}.")
        frame = frame[SIGNS[sign](_matches(frame[column], wanted.split("|")))]
    if frame.empty:
        raise KitError(f"The selector {selector!r} of {paper} finds no row. Mend it in laws.toml.")
    return frame


def _matches(column: pd.Series, wanted: list[str]) -> pd.Series:
    starts = tuple(w[:-1] for w in wanted if w.endswith("*"))
    found = column.isin(wanted)
    return found | column.str.startswith(starts) if starts else found


def ranges(frame: pd.DataFrame) -> Range:
    """The printed values with their tolerances; whole counts are exact unless the row has a why."""
    half = frame["tolerance"].to_numpy()
    if "unit" in frame:
        whole = (frame["unit"] == "count") & ~frame["printed"].str.contains(".", regex=False)
        said = frame["why"] != "" if "why" in frame else False
        half = half * ~(whole & ~said).to_numpy()
    return around(frame["value"].to_numpy(), half)


def shared(left: pd.DataFrame, right: pd.DataFrame) -> list[str]:
    """The key columns in which two selections meet: those of both that have a value in common."""
    mine = [*published.keys(left), "metric"]
    both = [k for k in mine if k in [*published.keys(right), "metric"]]
    return [k for k in both if set(left[k]) & set(right[k])]


def together(left: pd.DataFrame, right: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Rows of the same keys side by side, in the order of the left; one right row serves all."""
    if len(right) == 1:
        return left, right.loc[right.index.repeat(len(left))]
    on = shared(left, right)
    if right.duplicated(on).any():
        raise KitError(f"Two rows of the right selection share {on}. Select fewer in laws.toml.")
    marked = right[on].assign(row=range(len(right)))
    at = left[on].merge(marked, on=on, how="left")["row"].to_numpy()
    kept = ~pd.isna(at)
    return left[kept], right.iloc[at[kept].astype(int)]


def records(frame: pd.DataFrame) -> list[dict[str, str]]:
    """The keys of every row, as the names of relations want them."""
    return list(frame[[*published.keys(frame), "metric"]].to_dict("records"))
