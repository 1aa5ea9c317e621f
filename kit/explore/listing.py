"""The explorer's list of samples in pages, and its table of quadrants, as widgets."""

from collections.abc import Callable, Sequence
from functools import partial

import ipywidgets as W
import pandas as pd

from kit.explore import render
from kit.explore.samples import PLACES, QUADRANTS, UNDECIDED, count_quadrants

PAGE = 100  # rows
WIDTH = 48  # characters of a column
DOTS = dict(zip(QUADRANTS.values(), "●◐◑○", strict=True))
PLANNED = "as planned"
ALL = "(all)"
SINGLE = {"description_width": "initial"}


def write_lines(table: pd.DataFrame) -> tuple[str, pd.Series]:
    """The heading and one line per row of `list_samples`, with aligned columns."""
    heading = "  "
    lines = table["quadrant"].map(DOTS).fillna("·").astype(str) + " "
    failed = table["failed"].astype(str).str.cat(table["tests"].astype(str), sep="/")
    columns = {"task": table["task"], "program": table["answer"], "failed": failed}
    for column, values in columns.items():
        texts = values.map(render.one_line).astype(str)  # of an empty table too
        width = min(WIDTH, max([len(column), *texts.map(len)]))
        heading += f"{column:{width}} "
        lines += texts.str.ljust(width) + " "
    return heading.rstrip(), lines.str.rstrip()


class Listing:
    """`Listing(table, act).view`; act is called when a row is chosen. names: a line per sample."""

    def __init__(self, table: pd.DataFrame, act: Callable[[], None]) -> None:
        self.table = table
        self.act = act
        heading, self.names = write_lines(table)
        self.order = self.listed = table.index
        self.page = 0
        self._is_quiet = False
        self.sort = W.Dropdown(
            options=[PLANNED, *table.columns],
            description="sort by",
            style=SINGLE,
            layout=W.Layout(width="auto"),
        )
        self.down = W.ToggleButton(description="descending", layout=W.Layout(width="auto"))
        narrow = W.Layout(width="3em")
        self.back = W.Button(description="◀", tooltip="page before", layout=narrow)
        self.on = W.Button(description="▶", tooltip="next page", layout=narrow)
        self.position = W.Label()
        self.select = W.Select(rows=24, layout=W.Layout(width="100%")).add_class("kit-list")
        self.sort.observe(self._sort_samples, "value")
        self.down.observe(self._sort_samples, "value")
        self.back.on_click(partial(self._turn_page, -1))
        self.on.on_click(partial(self._turn_page, 1))
        self.select.observe(self._act_on_choice, "value")
        turn = W.HBox([self.back, self.on, self.position])
        bar = W.HBox([self.sort, self.down, turn], layout=W.Layout(flex_flow="row wrap"))
        self.view = W.VBox([bar, W.HTML(f"<pre class='kit-head'>{heading}</pre>"), self.select])

    def fill(self, slots: Sequence[str]) -> None:
        """Show these samples, from the first page; the first is chosen, without calling act."""
        self.listed = self.order[self.order.isin(slots)]
        self.page = 0
        self._draw_page()

    def go_to(self, slot: str) -> bool:
        """Choose a sample on any page; False if the filters exclude it."""
        if slot not in self.listed:
            return False
        self.page = self.listed.get_loc(slot) // PAGE
        self._draw_page(slot)
        self.act()
        return True

    def _draw_page(self, slot: str = "") -> None:
        count = len(self.listed)
        start = self.page * PAGE
        slots = self.listed[start : start + PAGE]
        self._is_quiet = True
        self.select.options = list(zip(self.names[slots], slots, strict=True))
        self.select.value = slot or next(iter(slots), None)
        self._is_quiet = False
        first = min(start + 1, count)
        last = start + len(slots)
        self.position.value = f"{first:,} to {last:,} of {count:,}"
        self.back.disabled = not self.page
        self.on.disabled = start + PAGE >= count

    def _act_on_choice(self, _: object) -> None:
        if not self._is_quiet:
            self.act()

    def _turn_page(self, by: int, _: object) -> None:
        last = max(len(self.listed) - 1, 0) // PAGE
        self.page = min(max(self.page + by, 0), last)
        self._draw_page()
        self.act()

    def _sort_samples(self, _: object) -> None:
        ascending = not self.down.value
        if self.sort.value == PLANNED:
            self.order = self.table.index[:: 1 if ascending else -1]
        else:
            by = self.sort.value
            self.order = self.table.sort_values(by, ascending=ascending, kind="stable").index
        self.fill(self.listed)
        self.act()


class Square:
    """A 2x2 table of counts; clicking a cell sets a filter, clicking again clears it."""

    def __init__(self, chosen: W.Dropdown) -> None:
        self.chosen = chosen
        self.cells = {}
        for name in PLACES:
            cell = W.Button(tooltip=name, layout=W.Layout(width="auto")).add_class("kit-tile")
            cell.add_class(f"kit-{render.choose_tint(name)}").on_click(
                partial(self._toggle_filter, name)
            )
            self.cells[name] = cell
        good, weak, wrong, bad, undecided = self.cells.values()
        heads = [W.Label(word) for word in ("", "secure", "insecure")]
        grid = [*heads, W.Label("correct"), good, weak, W.Label("wrong"), wrong, bad]
        columns = W.Layout(grid_template_columns="4.5em 1fr 1fr")
        self.view = W.VBox([W.GridBox(grid, layout=columns), undecided])

    def _toggle_filter(self, name: str, _: object) -> None:
        self.chosen.value = ALL if self.chosen.value == name else name

    def count(self, rows: pd.DataFrame) -> None:
        """Show the number of samples per quadrant; the chosen cell is marked."""
        counts = count_quadrants(rows.drop_duplicates("slot")["quadrant"])
        for name, samples, percent in counts.itertuples():
            cell = self.cells[name]
            cell.description = f"{samples:,}\n{percent}"
            cell.remove_class("kit-on")
        self.cells[UNDECIDED].description = f"{counts['samples'][UNDECIDED]:,} undecided"
        if self.chosen.value in self.cells:
            self.cells[self.chosen.value].add_class("kit-on")
