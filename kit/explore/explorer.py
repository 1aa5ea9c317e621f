"""The failure explorer: widgets that filter, search and show the samples of a run of any suite.

Samples are listed in a table of pages. Only one page is drawn at a time, so large runs respond
quickly. The view is an HTML widget, because Output widgets hang the notebook runner at random.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ipywidgets as W
import pandas as pd

from kit import measures, rings
from kit.errors import KitError
from kit.explore import render
from kit.explore.run_from_notebook import check_known
from kit.measures.reduce import NO_PROGRAM, OF_A_TEST
from kit.paths import RUNS
from kit.records import Finding, Task, Test
from kit.run import report
from kit.store import Store
from kit.suite import Suite
from kit.suites import of_run, question_of, tasks_of

if TYPE_CHECKING:
    from kit.explore.compare import Comparison

COLUMNS = ("quadrant", "model", "language", "cwe", "status", "oracle")
FIXED = {*OF_A_TEST, "suite", "task", "sample", "domain", "label", "slot"}
MOST = 40  # values of an arm column that is offered as a filter
AT_ONCE = 20_000  # samples that are read at first
OTHERS = 100  # samples of the same task that are offered for comparison
SINGLE = {"description_width": "initial"}
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
        self, store: Store, tasks: Sequence[Task], references: Mapping[tuple[str, str], str],
        suite: Suite | None = None,
    ) -> None:  # fmt: skip
        self.store, self.references, self.suite = store, references, suite
        folder = store.path.parent
        self.run = folder.name if folder.parent == RUNS else folder
        self.tasks, self.found = {t.id: t for t in tasks}, findings(store)
        self.view = W.VBox().add_class("kit-app")
        self.more = W.Button(description=f"read all {store.counts()[0]:,} samples")
        self.more.on_click(lambda _: self.read_all())
        self._partial = store.counts()[0] > AT_ONCE
        self._open(next(store.frames()) if self._partial else store.frame())

    def _open(self, frame: pd.DataFrame) -> None:
        self._quadrants = quadrants(frame)
        frame = frame[frame["task"].isin(self.tasks)]
        self._rows = frame.merge(self._quadrants[["slot", "quadrant"]], on="slot", how="left")
        self.listing = Listing(samples(self._rows), self._list_tests)
        self.named = self.listing.names
        self.samples = self.listing.select
        self._text: pd.Series | None = None
        self._quiet = False
        self._build()
        self._list_samples()

    def read_all(self) -> None:
        """Load all samples of the run."""
        if self._partial:
            self._partial = False
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
        return cls(*opened(run, data))

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
        hits = table[table["task"].eq(task) | (not task)]
        hits = hits[(hits.index == sample) | hits["answer"].eq(sample) | (not sample)]
        if not len(hits) or not self.listing.go_to(hits.index[0]):
            raise KitError(f"The run has no sample {sample!r} of task {task!r}. Copy both from the "
                           "line below the list of samples.")  # fmt: skip
        names = [value for _, value in self.tests.options]
        if test and test not in names:
            raise KitError(f"No test {test!r} of task {task!r}. Use one of: {', '.join(names)}.")
        self.tests.value = test or self.tests.value

    @property
    def disagreements(self) -> Any:
        """Tests whose raters disagree or that are undecided, and inter-rater agreement."""
        disagreements = rings.load("kit.parts", "disagreements")
        return disagreements(self.store, list(self.tasks.values()), self.rows, self.case)

    def compare(self, other: "Explorer") -> "Comparison":
        """Compare this run with another on common tasks: changed samples and paired tests."""
        from kit.explore.compare import Comparison

        return Comparison(self, other)

    @property
    def executed(self) -> pd.DataFrame:
        """Counts of executed tests, and of failures to execute by cause."""
        return report.executions(self.store)

    def case(self, slot: str, test: str, *, beside: str = "") -> str:
        """One test of one sample in full, as HTML."""
        alerts, lies = self.found.get(slot, ()), self.listing.table["quadrant"].get(slot, "")
        shown = page(self.store, self.tasks, self.references, slot, test, found=alerts,
                     quadrant=lies, suite=self.suite)  # fmt: skip
        if not beside:
            return shown
        return render.page_of(f"<div class='two'><div>{shown}</div><div>{beside}</div></div>")

    def _build(self) -> None:
        own = [c for c in self._rows.columns if c not in (*COLUMNS, *FIXED)]  # the suite's arms
        arms = [c for c in own if 2 <= self._rows[c].nunique() <= MOST]
        whole = {"quadrant": [*QUADRANTS.values(), "undecided"],
                 "outcome": ["fail", "pass", "unknown"]}  # fmt: skip
        self.filters = {}
        for column in (c for c in (*COLUMNS, *arms, "outcome") if c in self._rows):
            values = sorted((v for v in self._rows[column].dropna().unique() if v != ""), key=str)
            options = [(ALL, ALL), *((render.one_line(v), v) for v in whole.get(column, values))]
            self.filters[column] = W.Dropdown(
                options=options, description=render.one_line(column), style=SINGLE,
                layout=W.Layout(width="47%"),
            )  # fmt: skip
        self.search = W.Text(continuous_update=False, layout=W.Layout(width="98%"),
                             placeholder="Search task, model, program or code")  # fmt: skip
        self.tests = W.ToggleButtons().add_class("kit-tests")
        self.beside = W.Dropdown(description="compare with", style=SINGLE,
                                 layout=W.Layout(width="auto"))  # fmt: skip
        self.square = Square(self.filters["quadrant"])
        self.page, self.count, self.link = W.HTML(), W.HTML(), W.HTML()
        box = rings.announced("kit.parts").get("label")  # of a ring, which may not be there
        self.label = box.load()(self.store.path, lambda: None) if box else None
        for widget in (*self.filters.values(), self.search):
            self._on(widget, self._list_samples)
        self._on(self.tests, self._show)
        self._on(self.beside, self._show)
        shown = [w for name, w in self.filters.items() if name != "quadrant"]
        filters = W.HBox(shown, layout=W.Layout(flex_flow="row wrap"))
        more = [self.more] * self._partial
        left = [self.square.view, self.search, filters, self.count, *more, self.listing.view]
        labels = [self.label.view] if self.label else []
        right = [self.beside, self.tests, self.page, *labels, self.link]
        both = W.HBox([W.VBox(left, layout=W.Layout(flex="0 0 23em", margin="0 16px 0 0")),
                       W.VBox(right, layout=W.Layout(flex="1 1 0", min_width="0"))])  # fmt: skip
        self.view.children = [W.HTML(f'{render.STYLE}<style onload="{KEYS}"></style>'), both]

    def _on(self, widget: Any, act: Callable[[], None]) -> None:
        widget.observe(lambda _: None if self._quiet else act(), "value")

    def choose(self, **values: Any) -> None:
        """Set filters, as choose(quadrant="neither"); KitError for an unknown column or value.

        An empty value chooses all.
        """
        for column, value in values.items():
            value = value or ALL
            check_known("filter", [column], list(self.filters))
            check_known(column, [value], [v for _, v in self.filters[column].options])
            self.filters[column].value = value

    def selected(self, *, but: str = "") -> pd.DataFrame:
        """The tests that match all filters, except the filter of the column `but`."""
        rows = self._rows
        for column, widget in self.filters.items():
            if widget.value != ALL and column != but:
                rows = rows[rows[column] == widget.value]
        words = self.search.value.lower().split()
        if words and len(rows):
            texts = self._texts()
            hits = [all(w in text for w in words) for text in texts]
            rows = rows[rows["slot"].isin(texts.index[hits])]
        return rows

    def _texts(self) -> pd.Series:
        """The searchable text by slot: names, titles and code in lower case; read once."""
        if self._text is None:
            names = self.named + " " + self._rows.drop_duplicates("slot").set_index("slot")[
                "task"].map(lambda t: self.tasks[t].title)  # fmt: skip
            query = "SELECT slot FROM slots JOIN samples USING (slot) ORDER BY slots.rowid"
            slots = [slot for (slot,) in self.store.db.execute(query)]
            codes = dict(zip(slots, (s.code for s in self.store.samples()), strict=True))
            texts = [f"{name} {codes.get(slot, '')}".lower() for slot, name in names.items()]
            self._text = pd.Series(texts, index=names.index)
        return self._text

    def _list_samples(self) -> None:
        rows = self._chosen = self.selected()
        slots = rows["slot"].unique()
        self.count.value = f"{len(slots)} sample{'s' * (len(slots) != 1)}, {len(rows)} tests"
        self.square.count(self.selected(but="quadrant"))
        self.listing.fill(slots)
        self._list_tests()

    def _fill(self, widget: Any, options: Sequence[tuple[str, Any]], value: Any = None) -> None:
        """Set new options without triggering observers."""
        self._quiet = True
        widget.options = options
        widget.value = value if value is not None or not options else options[0][1]
        self._quiet = False

    def _list_tests(self) -> None:
        rows = self._chosen[self._chosen["slot"] == self.samples.value]
        options = [
            (f"{render.MARKS[r.outcome]} {r.kind} {render.one_line(f'{r.test} {r.cwe}')}", r.test)
            for r in rows.itertuples()
        ]
        for widget in (self.tests, self.beside, *([self.label.view] if self.label else [])):
            widget.layout.display = None if options else "none"
        if rows["status"].isin(("extraction_error", "refused")).all():
            self.tests.layout.display = "none"
        self.tests.tooltips = [name for name, _ in options]
        failed = rows.loc[rows["outcome"] == "fail", "test"].tolist()
        self._fill(self.tests, options, failed[0] if failed else None)
        task = self._rows.loc[self._rows["slot"] == self.samples.value, "task"].head(1)
        same = self._rows[self._rows["task"].isin(task)].drop_duplicates("slot")["slot"]
        others = [(self.named[s], s) for s in same if s != self.samples.value]
        self._fill(self.beside, [("(the same task by another model or arm)", ""), *others[:OTHERS]])
        self._show()

    def _show(self) -> None:
        slot, test = self.samples.value or "", self.tests.value or ""
        rows = self._chosen[(self._chosen["slot"] == slot) & (self._chosen["test"] == test)]
        if self.label:
            self.label.show(slot, test, next(iter(rows["kind"]), "functional"))
        if rows.empty:
            self.page.value, self.link.value = "No test matches these filters.", ""
            return
        row = rows.iloc[0]
        names = {"run": str(self.run), "task": row["task"], "sample": row["slot"],
                 "test": row["test"]}  # fmt: skip
        shared = "; ".join(f"{name} = {value!r}" for name, value in names.items())
        named = f"This page as parameters of the notebook: <code>{render.text(shared)}</code>"
        self.link.value = f"<div class='kit'>{named}</div>"
        beside = self.other(self.beside.value, test=test) if self.beside.value else ""
        self.page.value = self.case(slot, test, beside=beside)

    def other(self, slot: str, name: str = "", *, test: str = "") -> str:
        """One sample with all its tests, `test` in full, as HTML for a comparison."""
        sample = self.store.sample(slot)
        if sample is None:
            return "The other sample was not generated."
        rows = cells(self.store, self.tasks[sample.task], slot)
        title = name or f"the same task: {self.named[slot]}"
        alerts = self.found.get(slot, ())
        return render.sample(None, sample, rows, test, title=title, found=alerts, whole=False)


def opened(
    run: str, data: str = ""
) -> tuple[Store, list[Task], dict[tuple[str, str], str], Suite]:
    """A run opened read-only, its tasks, the code of their secure references, and its suite."""
    store = Store(run, write=False)
    suite = of_run(store)
    tasks = list(tasks_of(store, Path(data) if data else None, suite))
    secure = [s for s in suite.references(tasks)[0] if s.label == "secure"]
    return store, tasks, {(s.task, s.language): s.code for s in secure}, suite


def findings(store: Store) -> dict[str, list[Finding]]:
    """The findings of each sample, by slot."""
    out: dict[str, list[Finding]] = {}
    names = [f.name for f in fields(Finding)]
    for row in store.findings().to_dict("records"):
        finding = Finding(**{n: row[n] for n in names} | {"flow": tuple(row["flow"])})
        for slot in row["slots"]:
            out.setdefault(slot, []).append(finding)
    return out


def cells(store: Store, task: Task, slot: str, test: str = "") -> list[render.Row]:
    """Each test of a sample with evidence and verdict; also a `test` no longer in the task."""
    lost = [Test(test, "functional")] if test and test not in {t.id for t in task.tests} else []
    return [(t, *store.cell(slot, t.id)) for t in (*task.tests, *lost)]


def page(
    store: Store,
    tasks: Mapping[str, Task],
    references: Mapping[tuple[str, str], str],
    slot: str,
    test: str,
    *,
    found: Sequence[Finding] = (),
    quadrant: str = "",
    suite: Suite | None = None,
) -> str:
    """One test of one sample as HTML, from the store; `found`: the sample's findings."""
    sample = store.sample(slot)
    if sample is None:
        return "This sample was not generated."
    task = tasks[sample.task]
    rows = cells(store, task, slot, test)
    reference = references.get((task.id, sample.language), "")
    question = question_of(store, suite, task, sample) if suite else ()
    return render.sample(task, sample, rows, test, reference=reference, found=found,
                         quadrant=quadrant, question=question)  # fmt: skip


PAGE = 100  # rows
WIDTH = 48  # characters of a column
DOTS = {"correct and secure": "●", "correct but insecure": "◐", "secure but wrong": "◑",
        "neither": "○"}  # fmt: skip
PLANNED = "as planned"


def samples(rows: pd.DataFrame) -> pd.DataFrame:
    """The listing: one row per sample, by slot, in planned order; texts are untrusted.

    rows: a run's tidy table with the quadrants.
    """
    first = rows.drop_duplicates("slot").set_index("slot")
    bad = rows["outcome"].eq("fail") | rows["status"].isin([str(s) for s in NO_PROGRAM])
    failed = bad.groupby(rows["slot"]).sum().reindex(first.index)
    tests = rows["slot"].value_counts().reindex(first.index)
    names = first["model"].str.cat(first["sample"].astype(str), sep=" #")
    if "program" in first:
        names = first["program"].where(first["program"].map(lambda p: isinstance(p, str)), names)
    table = pd.DataFrame({"quadrant": first["quadrant"], "task": first["task"], "answer": names})
    if "language" in first:
        table["language"] = first["language"].fillna("")
    return table.assign(failed=failed.astype(int), tests=tests)


def lines(table: pd.DataFrame) -> tuple[str, pd.Series]:
    """The heading and one line per row, with aligned columns."""
    marks = table["quadrant"].map(lambda q: DOTS.get(q, "·")).astype(str)
    shown, head = marks + " ", "  "
    failed = table["failed"].astype(str).str.cat(table["tests"].astype(str), sep="/")
    cells = {"task": table["task"], "program": table["answer"], "failed": failed}
    for column, values in cells.items():
        texts = values.map(render.one_line).astype(str)  # of an empty table too
        wide = min(WIDTH, max(len(column), max(map(len, texts), default=0)))
        head, shown = f"{head}{column:{wide}} ", shown + texts.str.ljust(wide) + " "
    return head.rstrip(), shown.str.rstrip()


class Listing:
    """`Listing(table, act).view`; act is called when a row is chosen. names: a line per sample."""

    def __init__(self, table: pd.DataFrame, act: Callable[[], None]) -> None:
        self.table, self.act = table, act
        head, self.names = lines(table)
        self.order, self.page, self._quiet = table.index, 0, False
        self.found = self.order
        self.sort = W.Dropdown(options=[PLANNED, *table.columns], description="sort by",
                               style=SINGLE, layout=W.Layout(width="auto"))  # fmt: skip
        self.down = W.ToggleButton(description="descending", layout=W.Layout(width="auto"))
        narrow = W.Layout(width="3em")
        self.back, self.on = (W.Button(description=d, tooltip=tip, layout=narrow)
                              for d, tip in (("◀", "page before"), ("▶", "next page")))  # fmt: skip
        self.position = W.Label()
        self.select = W.Select(rows=24, layout=W.Layout(width="100%")).add_class("kit-list")
        self.sort.observe(lambda _: self._sort(), "value")
        self.down.observe(lambda _: self._sort(), "value")
        self.back.on_click(lambda _: self._turn(-1))
        self.on.on_click(lambda _: self._turn(1))
        self.select.observe(lambda _: None if self._quiet else act(), "value")
        turn = W.HBox([self.back, self.on, self.position])
        bar = W.HBox([self.sort, self.down, turn], layout=W.Layout(flex_flow="row wrap"))
        self.view = W.VBox([bar, W.HTML(f"<pre class='kit-head'>{head}</pre>"), self.select])

    def fill(self, slots: Sequence[str]) -> None:
        """Show these samples, from the first page; the first is chosen, without calling act."""
        self.found, self.page = self.order[self.order.isin(slots)], 0
        self._draw()

    def go_to(self, slot: str) -> bool:
        """Choose a sample on any page; False if the filters exclude it."""
        if slot not in self.found:
            return False
        self.page = self.found.get_loc(slot) // PAGE
        self._draw(slot)
        self.act()
        return True

    def _draw(self, slot: str = "") -> None:
        n, start = len(self.found), self.page * PAGE
        shown = self.found[start : start + PAGE]
        self._quiet = True
        self.select.options = list(zip(self.names[shown], shown, strict=True))
        self.select.value = slot or (shown[0] if len(shown) else None)
        self._quiet = False
        self.position.value = f"{min(start + 1, n):,} to {start + len(shown):,} of {n:,}"
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
    (True, False): "correct but insecure",
    (False, True): "secure but wrong",
    (False, False): "neither",
}


def quadrants(frame: pd.DataFrame) -> pd.DataFrame:
    """One row per sample with its quadrant; undecided if one of its axes is."""
    rows = measures.samples(frame)
    pairs = zip(rows["functional"], rows["secure"], strict=True)
    return rows.assign(quadrant=["undecided" if pd.isna(f) or pd.isna(s) else QUADRANTS[f, s]
                                 for f, s in pairs])  # fmt: skip


class Square:
    """A 2x2 table of counts; clicking a cell sets a filter, clicking again clears it."""

    def __init__(self, chosen: W.Dropdown) -> None:
        self.chosen, wide = chosen, W.Layout(width="auto")
        self.cells = {name: W.Button(tooltip=name, layout=wide).add_class("kit-tile")
                      .add_class(f"kit-{render.tint(name)}")
                      for name in (*QUADRANTS.values(), "undecided")}  # fmt: skip
        for name, cell in self.cells.items():
            cell.on_click(lambda _, name=name: self.chosen.set_trait(
                "value", ALL if self.chosen.value == name else name))  # fmt: skip
        words = [W.Label(word) for word in ("", "secure", "insecure", "correct", "wrong")]
        good, weak, wrong, bad, rest = self.cells.values()
        grid = W.GridBox([*words[:3], words[3], good, weak, words[4], wrong, bad],
                         layout=W.Layout(grid_template_columns="4.5em 1fr 1fr"))  # fmt: skip
        self.view = W.VBox([grid, rest])

    def count(self, rows: pd.DataFrame) -> None:
        """Show the number of samples per quadrant; the chosen cell is marked."""
        sizes = rows.drop_duplicates("slot")["quadrant"].value_counts()
        total = max(int(sizes.sum()), 1)
        for name, cell in self.cells.items():
            n = int(sizes.get(name, 0))
            share = f"{100 * n / total:.0f} %"
            cell.description = f"{n:,} undecided" if name == "undecided" else f"{n:,}\n{share}"
            (cell.add_class if self.chosen.value == name else cell.remove_class)("kit-on")
