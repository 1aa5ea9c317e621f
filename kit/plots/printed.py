"""Tables as one would print them."""

import hashlib
import html
import re
from collections.abc import Callable, Iterable, Mapping

import pandas as pd
from pandas.io.formats.style import Styler

from kit.plots.style import name

LOOK = [{"selector": selector, "props": props} for selector, props in {
    # a wide table scrolls by itself instead of being cut off
    "": "border-collapse: collapse; font-size: 90%; display: block; overflow-x: auto",
    "caption": "caption-side: top; text-align: left; font-weight: bold",
    "th": "text-align: left; font-weight: normal; padding: 2px 8px; white-space: nowrap",
    "thead th.col_heading": "text-align: right",
    "thead tr:first-child th[colspan]": "text-align: center",
    "td": "text-align: right; padding: 2px 8px",
    "thead tr:last-child th": "border-bottom: 1px solid currentColor",
    "tbody tr:last-child > *": "border-bottom: 1px solid currentColor",
}.items()]  # fmt: skip
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
    Values, index, columns and caption are text, never markup.
    """
    table = table.rename(columns=name)
    # Two tables of one page must not share the names of their cells; equal tables may.
    identity = hashlib.sha256(f"{caption}\n{table.to_csv()}".encode()).hexdigest()[:10]
    texts = [i for i, t in enumerate(table.dtypes) if not pd.api.types.is_numeric_dtype(t)]
    names = ", ".join(f"td.col{i}, thead th.col_heading.col{i}" for i in texts)
    left = [{"selector": names, "props": "text-align: left"}] if texts else []
    style = table.style.set_uuid(identity).set_table_styles(LOOK + left)
    style = style.format(escape="html").format_index(escape="html", axis="index")
    style = style.format_index(escape="html", axis="columns")
    style = style.format_index_names(escape="html", axis="index")
    style = style.hide(axis="columns", names=True)
    if isinstance(table.index, pd.RangeIndex):
        style = style.hide(axis="index")
    elif table.index.nlevels == 1:
        style = style.hide(axis="index", names=True)
    for column in table.columns[[pd.api.types.is_float_dtype(t) for t in table.dtypes]]:
        last = column[-1] if isinstance(column, tuple) else column
        places = digits if isinstance(digits, int) else digits.get(last, 1)
        sign = "+" if last in signed else ""
        style = style.format(_number(last, sign, places), subset=[column], na_rep="–")
        wanted = best if isinstance(best, str) else best.get(last, "")
        if wanted:
            bold = "font-weight: bold"
            highlight = style.highlight_max if wanted == "max" else style.highlight_min
            style = highlight(subset=[column], props=bold)
    if "verdict" in table:
        style = style.apply(_tinted, axis=1)
    return style.set_caption(html.escape(caption)) if caption else style


def _number(column: str, sign: str, places: int) -> str | Callable[[float], str]:
    """How a number is written; a p that would round to 0 as "<0.0001"."""
    plain = f"{{:{sign}.{places}f}}"
    if re.split(r"[ _]", str(column))[0] != "p":
        return plain
    least = 10.0**-places
    return lambda p: f"<{least:.{places}f}" if 0 <= p < least / 2 else plain.format(p)


def _tinted(row: pd.Series) -> list[str]:
    tint = TINT.get(row["verdict"])
    return [f"background: {tint}" if tint else ""] * len(row)
