"""The samples of a run as widgets: a table in pages, of which one row is chosen, and the quadrants.

Only the rows of one page are ever drawn, so that a run of any size answers at once.
"""

from collections.abc import Callable, Sequence
from typing import Any

import ipywidgets as W
import pandas as pd

from kit import measures
from kit.study import render

PAGE = 100  # rows
WIDTH = 48  # characters of a column
GOOD = {"correct and secure": "pass", "undecided": "unknown"}
PLANNED = "as planned"


def samples(rows: pd.DataFrame) -> pd.DataFrame:
    """The columns of the table, a row a sample by slot, in the order of the plan; untrusted text.

    rows: a run's tidy table with the quadrants.
    """
    first = rows.drop_duplicates("slot").set_index("slot")
    failed = rows["outcome"].eq("fail").groupby(rows["slot"]).sum().reindex(first.index)
    tests = rows["slot"].value_counts().reindex(first.index)
    names = first["model"].str.cat(first["sample"].astype(str), sep=" #")
    if "program" in first:
        names = first["program"].where(first["program"].map(lambda p: isinstance(p, str)), names)
    table = pd.DataFrame({"quadrant": first["quadrant"], "task": first["task"], "answer": names})
    if "language" in first:
        table["language"] = first["language"].fillna("")
    return table.assign(failed=failed.astype(int), tests=tests)


def lines(table: pd.DataFrame) -> tuple[str, pd.Series]:
    """The heading, and a line for each row: the columns stand below each other."""
    marks = [render.MARKS[GOOD.get(q, "fail")] for q in table["quadrant"]]
    shown, head = pd.Series(marks, index=table.index, dtype=object), " "
    for column in table.columns:
        texts = table[column].map(render.one_line).astype(str)  # of an empty table too
        wide = min(WIDTH, max(len(column), max(map(len, texts), default=0)))
        head, shown = f"{head} {column:{wide}} ", shown + " " + texts.str.ljust(wide) + " "
    return head.rstrip(), shown.str.rstrip()


class Listing:
    """`Listing(table, act).view`; act is called after a row was chosen. names: a line a sample."""

    def __init__(self, table: pd.DataFrame, act: Callable[[], None]) -> None:
        self.table, self.act = table, act
        head, self.names = lines(table)
        self.order, self.page, self._quiet = table.index, 0, False
        self.found = self.order
        wide = W.Layout(width="100%")
        self.sort = W.Dropdown(options=[PLANNED, *table.columns], description="sort by")
        self.down = W.ToggleButton(description="descending", layout=W.Layout(width="auto"))
        narrow = W.Layout(width="3em")
        self.back, self.on = (W.Button(description=d, tooltip=tip, layout=narrow)
                              for d, tip in (("◀", "page before"), ("▶", "next page")))  # fmt: skip
        self.told = W.Label()
        self.select = W.Select(rows=10, layout=wide).add_class("kit-list")
        self.sort.observe(lambda _: self._sort(), "value")
        self.down.observe(lambda _: self._sort(), "value")
        self.back.on_click(lambda _: self._turn(-1))
        self.on.on_click(lambda _: self._turn(1))
        self.select.observe(lambda _: None if self._quiet else act(), "value")
        bar = W.HBox([self.sort, self.down, self.back, self.on, self.told],
                     layout=W.Layout(flex_flow="row wrap"))  # fmt: skip
        heading = W.HTML(f"<pre class='kit-head'>{head}</pre>")
        self.view = W.VBox([bar, heading, self.select], layout=W.Layout(flex="2 1 52em"))

    def fill(self, slots: Sequence[str]) -> None:
        """Show these samples, from the first page; the first is chosen, without calling act."""
        chosen = self.order.isin(slots)
        self.found, self.page = self.order[chosen], 0
        self._draw()

    def go_to(self, slot: str) -> bool:
        """Choose a sample, on whatever page it is; False where it is not among those shown."""
        if slot not in self.found:
            return False
        self.page = self.found.get_loc(slot) // PAGE
        self._draw(slot)
        self.act()
        return True

    def _draw(self, slot: str = "") -> None:
        n = len(self.found)
        start = self.page * PAGE
        shown = self.found[start : start + PAGE]
        self._quiet = True
        self.select.options = list(zip(self.names[shown], shown, strict=True))
        self.select.value = slot or (shown[0] if len(shown) else None)
        self._quiet = False
        self.told.value = f"{min(start + 1, n):,} to {start + len(shown):,} of {n:,}"
        self.back.disabled, self.on.disabled = not self.page, start + PAGE >= n

    def _turn(self, by: int) -> None:
        self.page = min(max(self.page + by, 0), max(len(self.found) - 1, 0) // PAGE)
        self._draw()
        self.act()

    def _sort(self) -> None:
        column, up = self.sort.value, not self.down.value
        if column == PLANNED:
            self.order = self.table.index if up else self.table.index[::-1]
        else:
            self.order = self.table.sort_values(column, ascending=up, kind="stable").index
        self.fill(self.found)
        self.act()


ALL = "(all)"
QUADRANTS = {
    (True, True): "correct and secure",
    (True, False): "correct, insecure",
    (False, True): "secure, not correct",
    (False, False): "neither",
}
TINTS = ("success", "danger", "warning", "")


def quadrant(functional: Any, secure: Any) -> str:
    """Which of the four quadrants a sample lies in; undecided where an axis is."""
    if pd.isna(functional) or pd.isna(secure):
        return "undecided"
    return QUADRANTS[bool(functional), bool(secure)]


def quadrants(frame: pd.DataFrame) -> pd.DataFrame:
    """One row per sample with its quadrant; the static form of the explorer's first filter."""
    rows = measures.samples(frame)
    pairs = zip(rows["functional"], rows["secure"], strict=True)
    return rows.assign(quadrant=[quadrant(f, s) for f, s in pairs])


class Square:
    """A 2x2 table of counts whose cells set a filter; clicked once more they free it again."""

    def __init__(self, chosen: W.Dropdown) -> None:
        self.chosen = chosen
        narrow = W.Layout(width="7em")
        self.cells = {name: W.Button(tooltip=name, layout=narrow, button_style=tint)
                      for name, tint in zip(QUADRANTS.values(), TINTS, strict=True)}  # fmt: skip
        self.cells["undecided"] = W.Button(tooltip="undecided", layout=W.Layout(width="auto"))
        for name, cell in self.cells.items():
            cell.on_click(lambda _, name=name: self._toggle(name))
        words = [W.Label(word) for word in ("", "secure", "not secure", "correct", "not correct")]
        good, weak, wrong, bad, rest = self.cells.values()
        grid = W.GridBox([*words[:3], words[3], good, weak, words[4], wrong, bad],
                         layout=W.Layout(grid_template_columns="6em 7.5em 7.5em"))  # fmt: skip
        self.view = W.VBox([grid, rest], layout=W.Layout(min_width="22em"))

    def _toggle(self, name: str) -> None:
        known = [value for _, value in self.chosen.options]
        new = ALL if self.chosen.value == name else name
        self.chosen.value = new if new in known else ALL

    def count(self, rows: pd.DataFrame) -> None:
        """Show how many samples of these rows lie where; the chosen cell is marked."""
        sizes = rows.drop_duplicates("slot")["quadrant"].value_counts()
        for name, cell in self.cells.items():
            text = f"{sizes.get(name, 0):,}" + (" undecided" if name == "undecided" else "")
            cell.description = f"[ {text} ]" if self.chosen.value == name else text
