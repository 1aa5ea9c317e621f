"""Tables as one would print them."""

from collections.abc import Iterable, Mapping

import pandas as pd
from pandas.io.formats.style import Styler

from kit.plots.style import name

LOOK = [
    {"selector": "", "props": "border-collapse: collapse; font-size: 90%"},
    {"selector": "caption", "props": "caption-side: top; text-align: left; font-weight: bold"},
    {"selector": "th", "props": "text-align: left; font-weight: normal; padding: 2px 8px"},
    {"selector": "td", "props": "text-align: right; padding: 2px 8px"},
    {"selector": "thead tr:last-child th", "props": "border-bottom: 1px solid currentColor"},
    {"selector": "tbody tr:last-child td", "props": "border-bottom: 1px solid currentColor"},
]
TINT = {"mismatch": "#D55E0055", "infeasible": "#D55E0055", "finding": "#E69F0044"}


def show(
    table: pd.DataFrame,
    *,
    digits: int | Mapping[str, int] = 1,
    signed: Iterable[str] = (),
    best: str | Mapping[str, str] = "",
    caption: str = "",
) -> Styler:
    """A table as one would print it: its digits, signs where asked, the best of a column in bold.

    best: "max" or "min" for every column of numbers, or {column: "max" | "min"}; columns are named
    by their last level. Cells of a column `verdict` that do not match are tinted with their row.
    """
    table = table.rename(columns=name)
    style = table.style.set_uuid("table").set_table_styles(LOOK)
    if table.index.nlevels == 1 and isinstance(table.index, pd.RangeIndex):
        style = style.hide(axis="index")
    for column in table.columns[[pd.api.types.is_float_dtype(t) for t in table.dtypes]]:
        last = column[-1] if isinstance(column, tuple) else column
        places = digits if isinstance(digits, int) else digits.get(last, 1)
        sign = "+" if last in signed else ""
        style = style.format(f"{{:{sign}.{places}f}}", subset=[column], na_rep="–")
        wanted = best if isinstance(best, str) else best.get(last, "")
        style = style.apply(_bold, subset=[column], wanted=wanted) if wanted else style
    if "verdict" in table:
        style = style.apply(_tinted, axis=1)
    return style.set_caption(caption) if caption else style


def _tinted(row: pd.Series) -> list[str]:
    tint = TINT.get(row["verdict"])
    return [f"background: {tint}" if tint else ""] * len(row)


def _bold(column: pd.Series, wanted: str) -> list[str]:
    top = {"max": column.max, "min": column.min}[wanted]()
    return ["font-weight: bold" if v == top else "" for v in column]
