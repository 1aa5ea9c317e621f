"""The failure explorer: filter samples by quadrant, model, CWE, status and oracle; see one whole.

The view is an HTML widget that is assigned to. No Output widget: cells that fill one hang the batch
runner at random.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import ipywidgets as W
import pandas as pd

from kit import measures
from kit.records import Status, Task
from kit.store import Store
from kit.study import render

ALL = "(all)"
QUADRANTS = {
    (True, True): "correct and secure",
    (True, False): "correct, insecure",
    (False, True): "secure, not correct",
    (False, False): "neither",
}


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


class Explorer:
    """Widgets over a run: `Explorer(store, tasks, references).view` is what a cell displays.

    references: (task, language) -> code of the secure reference, for the diff.
    """

    def __init__(
        self,
        store: Store,
        tasks: Sequence[Task],
        references: Mapping[tuple[str, str], str],
    ) -> None:
        self.store, self.references = store, references
        self.tasks = {t.id: t for t in tasks}
        frame = store.frame()
        place = quadrants(frame).set_index("slot")["quadrant"]
        self.rows = frame[frame["task"].isin(self.tasks)].assign(
            quadrant=lambda d: d["slot"].map(place)
        )
        self.filters = {
            c: self._filter(c) for c in ("quadrant", "model", "cwe", "status", "oracle")
        }
        self.outcome = W.Dropdown(options=[ALL, "fail", "pass", "unknown"], description="outcome")
        self.samples = W.Select(description="sample", rows=8, layout=W.Layout(width="48%"))
        self.tests = W.Select(description="test", rows=8, layout=W.Layout(width="48%"))
        self.page = W.HTML()
        self.count = W.HTML()
        for widget in (*self.filters.values(), self.outcome):
            widget.observe(lambda _: self._list_samples(), "value")
        self.samples.observe(lambda _: self._list_tests(), "value")
        self.tests.observe(lambda _: self._show(), "value")
        filters = W.HBox([*self.filters.values(), self.outcome], layout=W.Layout(flex_flow="wrap"))
        self.view = W.VBox([filters, self.count, W.HBox([self.samples, self.tests]), self.page])
        self._list_samples()

    def _filter(self, column: str) -> W.Dropdown:
        values = sorted(v for v in self.rows[column].dropna().unique() if v)
        options = [ALL, *values]
        return W.Dropdown(options=options, description=column, layout=W.Layout(width="260px"))

    def selected(self) -> pd.DataFrame:
        """The tests that pass every filter."""
        rows = self.rows
        for column, widget in {**self.filters, "outcome": self.outcome}.items():
            if widget.value != ALL:
                rows = rows[rows[column] == widget.value]
        return rows

    def _list_samples(self) -> None:
        rows = self.selected().drop_duplicates("slot")
        options = [(self._name(r), r["slot"]) for _, r in rows.iterrows()]
        self.count.value = f"{len(options)} samples, {len(self.selected())} tests"
        self.samples.options = options
        self.samples.value = options[0][1] if options else None
        self._list_tests()

    def _name(self, row: pd.Series) -> str:
        program = row.get("program")
        name = program if isinstance(program, str) else f"{row['model']} #{row['sample']}"
        return f"{row['task']}  {name}  [{row['quadrant']}]"

    def _list_tests(self) -> None:
        rows = self.selected()
        rows = rows[rows["slot"] == self.samples.value]
        options = [
            (f"{r['test']:7} {r['outcome']:8} {r['cwe']} {r['status']}", r["test"])
            for _, r in rows.iterrows()
        ]
        self.tests.options = options
        failed = rows.loc[rows["outcome"] == "fail", "test"].tolist()
        self.tests.value = (failed or rows["test"].tolist() or [None])[0]
        self._show()

    def _show(self) -> None:
        if self.samples.value is None or self.tests.value is None:
            self.page.value = "Nothing passes these filters."
            return
        self.page.value = page(
            self.store, self.tasks, self.references, self.samples.value, self.tests.value
        )


def page(
    store: Store,
    tasks: Mapping[str, Task],
    references: Mapping[tuple[str, str], str],
    slot: str,
    test: str,
) -> str:
    """One test of one sample as HTML, from the store."""
    sample = store.sample(slot)
    if sample is None:
        return "This sample was not generated."
    task = tasks[sample.task]
    asked = next(t for t in task.tests if t.id == test)
    seen, judged = store.cell(slot, test)
    if sample.status != Status.COMPLETED:
        return render.panel(str(sample.status), render.pre(f"{sample.note}\n\n{sample.response}"))
    reference = references.get((task.id, sample.language), "")
    return render.sample(task, sample.code, sample.language, asked, seen, judged, reference)
