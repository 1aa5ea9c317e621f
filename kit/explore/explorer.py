"""The failure explorer: widgets that filter, search and show the samples of a run of any suite.

Samples are listed in a table of pages. Only one page is drawn at a time, so large runs respond
quickly. The view is an HTML widget, because Output widgets hang the notebook runner at random.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import ipywidgets as W
import pandas as pd

from kit.core.errors import KitError
from kit.core.paths import RUNS
from kit.core.records import Task
from kit.core.store import Store
from kit.explore import render
from kit.explore.labels import Disagreements, LabelBox
from kit.explore.listing import ALL, SINGLE, Listing, Square
from kit.explore.run_from_notebook import check_known
from kit.explore.samples import (
    PLACES,
    OpenRun,
    assign_quadrants,
    find_arms_to_choose,
    list_samples,
)
from kit.explore.traces import AgentTraces
from kit.run import report
from kit.run.suite import Suite

if TYPE_CHECKING:
    from kit.explore.blind import BlindReview
    from kit.explore.compare import Comparison

FILTERS = ("quadrant", "model", "language", "cwe", "status", "oracle")
ORDERED: dict[str, Sequence[Any]] = {"quadrant": PLACES, "outcome": ("fail", "pass", "unknown")}
AT_ONCE = 20_000  # samples that are read at first
OTHERS = 100  # samples of the same task that are offered for comparison
# JupyterLab takes the arrow keys to move between cells, unless the focused element says otherwise.
KEYS = """this.closest('.kit-app')?.addEventListener('focusin', ({target}) =>
  target.matches('select') && target.setAttribute('data-lm-suppress-shortcuts', 'true'))"""


class Explorer:
    """Widgets over a run: `Explorer.of(run).view` is what a cell displays.

    references: (task, language) -> code of the secure reference, for the diff. suite: has its tasks
    loaded; it says what a model was asked. quadrants: one row per sample, with its quadrant. rows:
    the tidy table with the quadrant. A run of more than AT_ONCE samples shows the first ones until
    `read_all`.
    """

    def __init__(
        self,
        store: Store,
        tasks: Sequence[Task],
        references: Mapping[tuple[str, str], str],
        suite: Suite | None = None,
    ) -> None:
        self.opened = OpenRun(store, {task.id: task for task in tasks}, references, suite)
        self.store = store
        self.tasks = self.opened.tasks
        folder = store.path.parent
        self.run = folder.name if folder.parent == RUNS else folder
        self.view = W.VBox().add_class("kit-app")
        planned = store.counts()[0]
        self.more = W.Button(description=f"read all {planned:,} samples")
        self.more.on_click(lambda _: self.read_all())
        self._is_partial = planned > AT_ONCE
        self._open(next(store.frames()) if self._is_partial else store.frame())

    def _open(self, frame: pd.DataFrame) -> None:
        self._quadrants = assign_quadrants(frame)
        frame = frame[frame["task"].isin(self.tasks)]
        self._rows = frame.merge(self._quadrants[["slot", "quadrant"]], on="slot", how="left")
        self.listing = Listing(list_samples(self._rows), self._list_tests)
        self.samples = self.listing.select
        self._texts: pd.Series | None = None
        self._is_quiet = False
        self._build()
        self._list_samples()

    def read_all(self) -> None:
        """Load all samples of the run."""
        if self._is_partial:
            self._is_partial = False
            self._open(self.store.frame())

    @property
    def rows(self) -> pd.DataFrame:
        self.read_all()
        return self._rows

    @property
    def quadrants(self) -> pd.DataFrame:
        self.read_all()
        return self._quadrants

    @classmethod
    def of(cls, run: str, *, data: str = "") -> "Explorer":
        """The explorer of a run, by name or folder; data: another folder of the suite's items."""
        opened = OpenRun.of(run, data)
        return cls(opened.store, list(opened.tasks.values()), opened.references, opened.suite)

    def open(self, task: str = "", sample: str = "", test: str = "") -> None:
        """Show one test of one sample, given by key or by listed name; clears the filters.

        Raises KitError if the run has no such sample or test.
        """
        if not (task or sample or test):
            return
        self.read_all()
        for widget in self.filters.values():
            widget.value = ALL
        self.search.value = ""
        table = self.listing.table
        if task:
            table = table[table["task"] == task]
        if sample:
            table = table[table["answer"].eq(sample) | (table.index == sample)]
        if table.empty or not self.listing.go_to(table.index[0]):
            raise KitError(
                f"The run has no sample {sample!r} of task {task!r}. Copy both from the "
                "line below the list of samples."
            )
        names = [value for _, value in self.tests.options]
        if test and test not in names:
            raise KitError(f"No test {test!r} of task {task!r}. Use one of: {', '.join(names)}.")
        self.tests.value = test or self.tests.value

    @property
    def disagreements(self) -> Any:
        """Tests whose raters disagree or that are undecided, and inter-rater agreement."""
        return Disagreements(self.store, list(self.tasks.values()), self.rows, self.case)

    def draw_blind(self, n: int, *, seed: str = "blind") -> "BlindReview":
        """A form to label n tests, drawn with the text `seed`, without their verdicts in sight."""
        from kit.explore.blind import BlindReview

        return BlindReview(self.opened, self.rows, n=n, seed=seed)

    @property
    def traces(self) -> AgentTraces:
        """What the run's coding agents did: actions by class, revisions, own tests, cost."""
        return AgentTraces(self.store, self.rows)

    def compare(self, other: "Explorer") -> "Comparison":
        """Compare this run with another on common tasks: changed samples and paired tests."""
        from kit.explore.compare import Comparison

        return Comparison(self, other)

    @property
    def executed(self) -> pd.DataFrame:
        """Counts of executed tests, and of failures to execute by cause."""
        return report.count_executions(self.store)

    def case(self, slot: str, test: str) -> str:
        """One test of one sample in full, as HTML."""
        quadrant = self.listing.table["quadrant"].get(slot, "")
        return self.opened.show_test(slot, test, quadrant=quadrant)

    def _build(self) -> None:
        self.filters = {}
        for column in (*FILTERS, *find_arms_to_choose(self._rows), "outcome"):
            if column in self._rows:
                self.filters[column] = self._make_filter(column)
        self.search = W.Text(
            continuous_update=False,
            layout=W.Layout(width="98%"),
            placeholder="Search task, model, program or code",
        )
        self.tests = W.ToggleButtons().add_class("kit-tests")
        self.beside = W.Dropdown(
            description="compare with", style=SINGLE, layout=W.Layout(width="auto")
        )
        self.square = Square(self.filters["quadrant"])
        self.page = W.HTML()
        self.count = W.HTML()
        self.link = W.HTML()
        self.label = LabelBox(self.store.path, lambda: None)
        self._of_a_sample = [self.tests, self.beside, self.label.view]
        for widget in (*self.filters.values(), self.search):
            self._observe_widget(widget, self._list_samples)
        self._observe_widget(self.tests, self._show_chosen_test)
        self._observe_widget(self.beside, self._show_chosen_test)
        shown = list(self.filters.values())[1:]  # the square stands for the first, the quadrant
        filters = W.HBox(shown, layout=W.Layout(flex_flow="row wrap"))
        left = [self.square.view, self.search, filters, self.count, self.listing.view]
        if self._is_partial:
            left.insert(-1, self.more)
        right = [self.beside, self.tests, self.page, *self._of_a_sample[2:], self.link]
        narrow = W.Layout(flex="0 0 23em", margin="0 16px 0 0")
        wide = W.Layout(flex="1 1 0", min_width="0")
        columns = W.HBox([W.VBox(left, layout=narrow), W.VBox(right, layout=wide)])
        head = W.HTML(f'{render.STYLE}<style onload="{KEYS}"></style>')
        self.view.children = [head, columns]

    def _make_filter(self, column: str) -> W.Dropdown:
        entries = self._rows[column].dropna()
        values = ORDERED.get(column) or sorted(entries[entries != ""].unique(), key=str)
        options = [(ALL, ALL)]
        for value in values:
            options.append((render.one_line(value), value))
        return W.Dropdown(
            options=options,
            description=render.one_line(column),
            style=SINGLE,
            layout=W.Layout(width="47%"),
        )

    def _observe_widget(self, widget: Any, act: Callable[[], None]) -> None:
        def act_unless_quiet(_: object) -> None:
            if not self._is_quiet:
                act()

        widget.observe(act_unless_quiet, "value")

    def choose(self, **values: Any) -> None:
        """Set filters, as choose(quadrant="neither"); KitError for an unknown column or value.

        An empty value chooses all.
        """
        for column, value in values.items():
            value = value or ALL
            check_known("filter", [column], list(self.filters))
            check_known(column, [value], [known for _, known in self.filters[column].options])
            self.filters[column].value = value

    def list_matching_tests(self, *, but: str = "") -> pd.DataFrame:
        """The tests that match all filters, except the filter of the column `but`."""
        rows = self._rows
        for column, widget in self.filters.items():
            if widget.value != ALL and column != but:
                rows = rows[rows[column] == widget.value]
        words = self.search.value.lower().split()
        if words and len(rows):
            texts = self._read_texts()
            for word in words:
                texts = texts[texts.str.contains(word, regex=False)]
            rows = rows[rows["slot"].isin(texts.index)]
        return rows

    def _read_texts(self) -> pd.Series:
        """The searchable text by slot: names, titles and code in lower case; read once."""
        if self._texts is None:
            query = "SELECT slot FROM slots JOIN samples USING (slot) ORDER BY slots.rowid"
            slots = [slot for (slot,) in self.store.db.execute(query)]
            codes = [sample.code for sample in self.store.samples()]
            names = self.listing.names
            titles = self.listing.table["task"].map({t.id: t.title for t in self.tasks.values()})
            codes_of_names = pd.Series(codes, slots, dtype=str).reindex(names.index, fill_value="")
            self._texts = (names + " " + titles + " " + codes_of_names).str.lower()
        return self._texts

    def _list_samples(self) -> None:
        rows = self._chosen = self.list_matching_tests()
        slots = rows["slot"].unique()
        plural = "s" * (len(slots) != 1)
        self.count.value = f"{len(slots)} sample{plural}, {len(rows)} tests"
        self.square.count(self.list_matching_tests(but="quadrant"))
        self.listing.fill(slots)
        self._list_tests()

    def _replace_options(self, widget: Any, options: Sequence[tuple[str, Any]], value: Any) -> None:
        """Set new options without triggering observers."""
        self._is_quiet = True
        widget.options = options
        widget.value = value
        self._is_quiet = False

    def _list_tests(self) -> None:
        slot = self.samples.value
        rows = self._chosen[self._chosen["slot"] == slot]
        options = []
        for row in rows.itertuples():
            line = render.one_line(f"{row.test} {row.cwe}")
            options.append((f"{render.MARKS[row.outcome]} {row.kind} {line}", row.test))
        for widget in self._of_a_sample:
            widget.layout.display = None if options else "none"
        if rows["status"].isin(("extraction_error", "refused")).all():
            self.tests.layout.display = "none"
        self.tests.tooltips = [name for name, _ in options]
        failed_first = rows.sort_values("outcome", key=lambda o: o != "fail", kind="stable")
        self._replace_options(self.tests, options, next(iter(failed_first["test"]), None))
        table = self.listing.table
        others = table.index[:0]
        if slot:
            others = table.index[table["task"] == table["task"][slot]].drop(slot)[:OTHERS]
        names = self.listing.names[others]
        nothing = ("(the same task by another model or arm)", "")
        self._replace_options(self.beside, [nothing, *zip(names, others, strict=True)], "")
        self._show_chosen_test()

    def _show_chosen_test(self) -> None:
        slot = self.samples.value or ""
        test = self.tests.value or ""
        rows = self._chosen[(self._chosen["slot"] == slot) & (self._chosen["test"] == test)]
        if self.label:
            self.label.show(slot, test, next(iter(rows["kind"]), "functional"))
        if rows.empty:
            self.page.value = "No test matches these filters."
            self.link.value = ""
            return
        task = rows["task"].iloc[0]
        address = f"run = {str(self.run)!r}; task = {task!r}; sample = {slot!r}; test = {test!r}"
        link = (
            f"This page as parameters of the notebook: <code>{render.escape_text(address)}</code>"
        )
        self.link.value = f"<div class='kit'>{link}</div>"
        page = self.case(slot, test)
        if self.beside.value:
            title = f"the same task: {self.listing.names[self.beside.value]}"
            other = self.opened.show_beside(self.beside.value, title, test=test)
            page = render.page_of(f"<div class='two'><div>{page}</div><div>{other}</div></div>")
        self.page.value = page
