"""Where those who judged a run's tests differ, what none decided, and how far they agree.

A voice is whoever says pass, fail or unknown of one test of one sample: the run's oracle, a judge,
a repeated execution, the label of a labelled program, a second reading of it, a person.
"""

from collections.abc import Callable, Sequence
from itertools import combinations

import ipywidgets as W
import numpy as np
import pandas as pd

from kit.paths import DATA
from kit.records import Task
from kit.store import Store
from kit.study import labels, render
from kit.suites import of_run

ORACLE, LABEL, SECOND = "oracle", "label", "second reading"
SECOND_READING = DATA / "reviews" / "labels_js_cpp.csv"  # of the programs of DualGauge's suite
KEY = ["slot", "test"]
PROGRAM = ["task", "program", "test"]
MOST = 200  # tests of the queue that are listed


def voices(store: Store, tasks: Sequence[Task], rows: pd.DataFrame) -> pd.DataFrame:
    """(slot, test) -> a column for each voice with its outcome; None where it says nothing.

    rows: the run's tidy table. The oracle's column is the first; people come last.
    """
    parts = [rows[KEY].assign(voice=ORACLE, outcome=rows["outcome"])]
    opinions, repeats = store.opinions(), store.repeats()
    parts.append(opinions[KEY].assign(voice="judge " + opinions["judge"].astype(str),
                                      outcome=opinions["judge_outcome"]))  # fmt: skip
    parts.append(repeats[KEY].assign(voice="repeat " + repeats["repeat"].astype(str),
                                     outcome=repeats["outcome"]))  # fmt: skip
    if "program" in rows:
        known = {LABEL: of_run(store).references(tasks)[1].rename(columns={"label": "outcome"})}
        if store.meta().get("suite") == "dualgauge":
            known[SECOND] = pd.read_csv(SECOND_READING).rename(columns={"second": "outcome"})
        for voice, table in known.items():
            labelled = rows[[*KEY, "task", "program"]].merge(
                table[[*PROGRAM, "outcome"]], on=PROGRAM
            )
            parts.append(labelled[[*KEY, "outcome"]].assign(voice=voice))
    people = labels.read(labels.beside(store.path))
    parts.append(people[KEY].assign(voice=people["rater"], outcome=people["outcome"]))
    every = pd.concat([p for p in parts if len(p)])
    wide = every.pivot_table(index=KEY, columns="voice", values="outcome", aggfunc="last")
    wide = wide.reindex(pd.MultiIndex.from_frame(rows[KEY]))
    return wide[list(dict.fromkeys(every["voice"]))].rename_axis(columns=None)


class Disagreements:
    """`Explorer.disagreements`: every reading of it looks at the labels anew.

    rows: the run's tidy table; page: (slot, test) -> HTML, what an adjudicator is shown.
    """

    def __init__(self, store: Store, tasks: Sequence[Task], rows: pd.DataFrame,
                 page: Callable[[str, str], str]) -> None:  # fmt: skip
        self.store, self.tasks, self.rows, self.page = store, tasks, rows, page

    @property
    def voices(self) -> pd.DataFrame:
        """(slot, test) -> a column for each voice with its outcome."""
        return voices(self.store, self.tasks, self.rows)

    @property
    def queue(self) -> pd.DataFrame:
        """Tests that no person has labelled and that need one: voices at odds, then undecided ones.

        Of each task, oracle and reason one comes before a second of any: what is learned first is
        worth most.
        """
        wide = self.voices
        people = set(labels.read(labels.beside(self.store.path))["rater"])
        decided = wide.where(wide.isin(labels.DECIDED))
        reason = np.select([decided.nunique(axis=1) > 1, decided.notna().sum(axis=1) == 0],
                        ["at odds", "undecided"], default="")  # fmt: skip
        names = [*KEY, "task", "model", "kind", "cwe", "oracle", "reason"]
        rows = self.rows[names].rename(columns={"oracle": "by"}).assign(why=reason)
        rows = rows.join(wide, on=KEY)
        free = wide[[c for c in wide if c in people]].isna().all(axis=1).to_numpy()
        rows = rows[free & (reason != "")]
        turn = rows.groupby(["why", "task", "by", "reason"]).cumcount()
        return rows.assign(turn=turn).sort_values(["why", "turn"], kind="stable").drop(
            columns="turn").reset_index(drop=True)  # fmt: skip

    @property
    def counts(self) -> pd.DataFrame:
        """How many tests wait for a person, by why, kind, oracle and reason."""
        groups = self.queue.groupby(["why", "kind", "by", "reason"], sort=True)
        return groups.agg(tests=("test", "size"), tasks=("task", "nunique")).reset_index()

    def agreement(self, *, rng: np.random.Generator, n_boot: int = 2000) -> pd.DataFrame:
        """Every pair of voices: tests that both decided, on how many they split, raw and AC1.

        low, high: 95% limits of AC1, resampling samples with all their tests.
        """
        wide = self.voices
        pairs = combinations(wide.columns, 2)
        return pd.DataFrame([labels.agree(wide, a, b, rng=rng, n_boot=n_boot) for a, b in pairs],
                            columns=["first", "second", "tests", "split", "raw", "AC1", "low",
                                     "high"])  # fmt: skip

    def growth(self, *, rng: np.random.Generator, n_boot: int = 500) -> pd.DataFrame:
        """AC1 of the oracle with each other voice over the first so many tests; for a figure.

        People's tests in the order in which they were labelled; others in a drawn order, for the
        tasks of a plan are alike. Columns pair, tests, metric, value, ci_low, ci_high.
        """
        wide, points = self.voices, []
        words = labels.read(labels.beside(self.store.path))
        for voice in wide.columns[1:]:
            both = wide.loc[wide[[ORACLE, voice]].isin(labels.DECIDED).all(axis=1), [ORACLE, voice]]
            mine = words.loc[words["rater"] == voice, KEY]
            if mine.empty:
                both = both.iloc[rng.permutation(len(both))]
            else:
                order = pd.MultiIndex.from_frame(mine)
                both = both.reindex(order[order.isin(both.index)])
            for n in np.unique(np.linspace(0, len(both), 9).astype(int))[1:]:
                row = labels.agree(both.iloc[:n], ORACLE, voice, rng=rng, n_boot=n_boot)
                points.append((voice, n, "AC1", row["AC1"], row["low"], row["high"]))
        return pd.DataFrame(
            points, columns=["pair", "tests", "metric", "value", "ci_low", "ci_high"]
        )

    @property
    def view(self) -> W.VBox:
        """Widgets: the queue, a label box and the page of the chosen test; a saved one leaves."""
        listed, page, status = W.Select(rows=8, layout=W.Layout(width="100%")), W.HTML(), W.HTML()
        listed.add_class("kit-list")

        def show() -> None:
            if listed.value is None:
                box.show("", "", "functional")
                page.value = "Nothing waits for a person."
                return
            slot, test, kind = listed.value
            box.show(slot, test, kind)
            page.value = self.page(slot, test)

        def fill() -> None:
            queue = self.queue
            status.value = f"{len(queue)} tests wait; the first {min(len(queue), MOST)} are listed"
            names = ("why", "task", "model", "test", "cwe", "by", "reason")
            options = [
                (render.one_line("  ".join(str(getattr(r, n)) for n in names)),
                 (r.slot, r.test, r.kind)) for r in queue.head(MOST).itertuples()
            ]  # fmt: skip
            listed.options = options
            listed.value = options[0][1] if options else None
            show()

        box = labels.LabelBox(labels.beside(self.store.path), fill)
        listed.observe(lambda _: show(), "value")
        fill()
        return W.VBox([W.HTML(render.STYLE), status, listed, box.view, page])
