"""The table of a notebook, with one rule for what is undecided."""

import hashlib
import html
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pandas as pd
from pandas.io.formats.style import Styler

from kit.explore.style import display_name
from kit.scoring import measures

STYLES = {
    # a wide table scrolls by itself instead of being cut off
    "": "border-collapse: collapse; font-size: 90%; display: block; overflow-x: auto",
    "caption": "caption-side: top; text-align: left; font-weight: bold",
    "th": "text-align: left; font-weight: normal; padding: 2px 8px; white-space: nowrap",
    "thead th.col_heading": "text-align: right",
    "thead tr:first-child th[colspan]": "text-align: center",
    "td": "text-align: right; padding: 2px 8px",
    "thead tr:last-child th": "border-bottom: 1px solid currentColor",
    "tbody tr:last-child > *": "border-bottom: 1px solid currentColor",
}
TINT = {"mismatch": "#D55E0055", "infeasible": "#D55E0055", "finding": "#E69F0044"}


def is_pair(cell: Any) -> bool:
    """Whether a cell holds the two ends of an open span in place of a number."""
    return isinstance(cell, tuple)


def show(
    table: pd.DataFrame,
    *,
    digits: int | Mapping[str, int] = 1,
    signed: Iterable[str] = (),
    best: str | Mapping[str, str] = "",
    caption: str = "",
) -> Styler:
    """A table for a notebook, with rounded numbers, signs if asked, the best of a column in bold.

    A pair is written as "18.8 to 31.2"; so is a missing value, estimate or step with its bounds.
    best: "max" or "min" for every column of numbers, or {column: "max" | "min"}; columns are named
    by their last level. A row is tinted if its `verdict` is not a match. Values, index, columns and
    caption are text, never markup.
    """
    table = table.rename(columns=display_name)
    if table.columns.nlevels == 1:
        for column in table.columns.intersection(["value", "estimate", "step"]):
            table = table.assign(**{column: measures.insert_bounds(table, column)})
    # Two tables of one page must not share the names of their cells; equal tables may.
    identity = hashlib.sha256(f"{caption}\n{table.to_csv()}".encode()).hexdigest()[:10]
    style = table.style.set_uuid(identity)
    style = style.format(escape="html").format_index(escape="html", axis="index")
    style = style.format_index(escape="html", axis="columns")
    style = style.format_index_names(escape="html", axis="index")
    style = style.hide(axis="columns", names=True)
    if isinstance(table.index, pd.RangeIndex):
        style = style.hide(axis="index")
    elif table.index.nlevels == 1:
        style = style.hide(axis="index", names=True)
    of_text = []
    for place, column in enumerate(table.columns):
        kind = table.dtypes.iloc[place]
        has_pairs = table.iloc[:, place].map(is_pair).any()
        if not (pd.api.types.is_numeric_dtype(kind) or has_pairs):
            of_text.append(f"td.col{place}, thead th.col_heading.col{place}")
        if not (pd.api.types.is_float_dtype(kind) or has_pairs):
            continue
        last = column[-1] if isinstance(column, tuple) else column
        places = digits if isinstance(digits, int) else digits.get(last, 1)
        sign = "+" if last in signed else ""
        style = style.format(_make_number_format(last, sign, places), subset=[column], na_rep="–")
        wanted = best if isinstance(best, str) else best.get(last, "")
        if wanted:
            style = style.apply(_mark_best_value, subset=[column], wanted=wanted)
    if "verdict" in table:
        style = style.apply(tint_row, axis=1)
    looks = dict(STYLES)
    if of_text:
        looks[", ".join(of_text)] = "text-align: left"
    rules = [{"selector": selector, "props": props} for selector, props in looks.items()]
    style = style.set_table_styles(rules)
    if caption:
        style = style.set_caption(html.escape(caption))
    return style


def tint_row(row: pd.Series) -> list[str]:
    """The style of each cell of a row, by its verdict."""
    tint = TINT.get(row["verdict"])
    return [f"background: {tint}" if tint else ""] * len(row)


def _mark_best_value(column: pd.Series, wanted: str) -> list[str]:
    numbers = column.mask(column.map(is_pair)).astype(float)
    best = numbers.max() if wanted == "max" else numbers.min()
    return list(numbers.eq(best).map({True: "font-weight: bold", False: ""}))


def _make_number_format(column: str, sign: str, places: int) -> Callable[[Any], str]:
    """The format of a column's numbers and pairs; a p that would be 0 is written as "<0.0001"."""
    least = 10.0**-places if re.split(r"[ _]", str(column))[0] == "p" else 0.0

    def write_cell(cell: Any) -> str:
        if isinstance(cell, tuple):
            return " to ".join(map(write_cell, cell))
        if 0 <= cell < least / 2:
            return f"<{least:.{places}f}"
        return f"{cell:{sign}.{places}f}"

    return write_cell
