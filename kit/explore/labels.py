"""Manual labels of single tests of a run (verdict, mechanism, reason), and where voices disagree.

`labels.jsonl` is beside the run's file, which is not changed, so a person can label while the run
continues, or label a read-only run. The codes are the mechanisms of DualGauge's RQ3 (section 5.3).

A voice is a rater of a test: the run's oracle, a judge, a repeated execution, the label of a
labelled program, a second reading of that label, or a person.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import ipywidgets as W
import numpy as np
import pandas as pd

from kit.core.paths import DATA
from kit.core.records import Outcome, Task
from kit.core.store import Store
from kit.explore import render
from kit.explore.rating import (
    AGREEMENT,
    Field,
    Rating,
    RatingForm,
    RatingKind,
    measure_agreement,
)
from kit.run.suites import of_run
from kit.scoring.reduce import NO_PROGRAM, NOT_THE_MODELS

CODES = {
    "functional": {
        "envelope": "the result has another shape: a JSON envelope, another type or key",
        "interface": "another kind of program than specified: a command line for a service, ...",
        "path": "paths are resolved relative to another folder",
        "exception": "another exception class, a missing exception, or an unexpected one",
        "export": "a required name is missing or misspelt",
        "computation": "the shape is right and the value is wrong",
    },
    "security": {
        "partial guard": "the program has a guard that does not cover this attack",
        "wrong layer": "the program has a guard at the wrong level, not at the dangerous call",
        "no guard": "the program has no guard against this attack",
        "contract": "nothing unsafe happened, but the refusal is not in the specified form",
    },
}
# Why a coding agent handed in a program that fails, beside the mechanism of the failure itself.
AGENT_CODES = {
    "untested": "it ran no test of its own",
    "blind test": "its own tests pass, and none of them touches what failed here",
    "lenient test": "its own tests touch what failed here, and accept it",
    "unheeded": "its own test failed in this way, and it did not mend the program",
    "environment": "it spent its changes on starting the program: imports, ports, paths",
    "destabilised": "a change broke what an earlier version of it did right",
    "limit": "it was ended at a limit before it had finished",
}
NO_ANSWER = {"": ""}
OTHER = {"other": "none of these; explain in the text below"}


class Mechanism(Field):
    """The mechanism of a failed test: one of CODES of its kind, or `other`."""

    def list_choices(self, rating: Rating) -> Mapping[str, str]:
        if rating.get("outcome", "fail") != "fail":
            return NO_ANSWER
        return {**(self.choices or {}), **CODES.get(rating.get("kind", ""), {}), **OTHER}


class AgentCode(Field):
    """Why an agent handed a failing program in: one of AGENT_CODES; nothing for other answers."""

    def list_choices(self, rating: Rating) -> Mapping[str, str]:
        return {**AGENT_CODES, **OTHER} if rating.get("actions") else NO_ANSWER


LABEL = RatingKind(
    ["slot", "test"],
    [
        Field("outcome", dict.fromkeys(map(str, Outcome), "")),
        Mechanism("code", NO_ANSWER, widget=W.Dropdown),
        Field("reason", widget=W.Text),
    ],
    facts=["kind"],
)
DECIDED = ("pass", "fail")
ORACLE = "oracle"
SECOND_READING = DATA / "reviews" / "labels_js_cpp.csv"  # of the programs of DualGauge's suite
KEY = ["slot", "test"]
PROGRAM = ["task", "program", "test"]
MOST = 200  # tests of the queue that are listed
PAIRS = ["first", "second", "tests", *AGREEMENT]


def labels_path(run: Path) -> Path:
    """The path of a run's labels, given its SQLite file."""
    return run.with_name("labels.jsonl")


class LabelBox(RatingForm):
    """Widgets for a person's label of one test: `LabelBox(run, act).view`.

    run: the run's SQLite file. act is called after a label was saved.
    """

    def __init__(
        self,
        run: Path,
        act: Callable[[], None],
        chosen: Any = None,
        draw_page: Callable[[Rating], str] = lambda _: "",
    ) -> None:
        chosen = chosen or W.Dropdown(layout={"display": "none"})
        super().__init__(LABEL, labels_path(run), chosen, draw_page, "save my verdict")
        self.act = act

    def show(self, slot: str, test: str, kind: str) -> None:
        """Show this test and the person's earlier label."""
        tests = pd.DataFrame([{"slot": slot, "test": test, "kind": kind}])
        self.offer(tests[tests["slot"] != ""], "test")

    def describe_progress(self) -> str:
        return f"{len(self.own_ratings)} labelled by you"

    def go_on(self) -> None:
        self.refresh()
        self.act()


@dataclass(eq=False)
class Disagreements:
    """`Explorer.disagreements`: tests on which voices differ; labels are read again each time.

    rows: the run's tidy table; page: (slot, test) -> the HTML that an adjudicator sees.
    """

    store: Store
    tasks: Sequence[Task]
    rows: pd.DataFrame
    page: Callable[[str, str], str]

    @property
    def labels(self) -> pd.DataFrame:
        """The last label of each person for each test."""
        return LABEL.read(labels_path(self.store.path))

    @property
    def voice_outcomes(self) -> pd.DataFrame:
        """(slot, test) -> one column per voice with its outcome; None if it has no outcome.

        The oracle's column is the first; people come last.
        """
        rows = self.rows
        opinions = self.store.opinions()
        repeats = self.store.repeats()
        judges = "judge " + opinions["judge"].astype(str)
        numbers = "repeat " + repeats["repeat"].astype(str)
        tables = [
            rows.assign(voice=ORACLE),
            opinions.assign(voice=judges, outcome=opinions["judge_outcome"]),
            repeats.assign(voice=numbers),
        ]
        if "program" in rows:
            programs = rows[[*KEY, "task", "program"]]
            labels = of_run(self.store).references(self.tasks)[1]
            readings = {"label": labels.rename(columns={"label": "outcome"})}
            if self.store.meta().get("suite") == "dualgauge":
                second = pd.read_csv(SECOND_READING).rename(columns={"second": "outcome"})
                readings["second reading"] = second
            for voice, reading in readings.items():
                labelled = programs.merge(reading[[*PROGRAM, "outcome"]], on=PROGRAM)
                tables.append(labelled.assign(voice=voice))
        people = self.labels
        tables.append(people.assign(voice=people["rater"]))
        filled = [table[[*KEY, "voice", "outcome"]] for table in tables if len(table)]
        every = pd.concat(filled)
        wide = every.pivot_table(index=KEY, columns="voice", values="outcome", aggfunc="last")
        wide = wide.reindex(pd.MultiIndex.from_frame(rows[KEY]))
        return wide[list(dict.fromkeys(every["voice"]))].rename_axis(columns=None)

    @property
    def labelling_queue(self) -> pd.DataFrame:
        """Tests to label by hand: those on which voices disagree, then undecided ones.

        Only tests that a program was executed for: nobody can decide others. The first test of
        each task, oracle and reason comes before the second of any.
        """
        wide = self.voice_outcomes
        outcomes = wide.where(wide.isin(DECIDED)).nunique(axis=1).to_numpy()
        doubt = np.select([outcomes > 1, outcomes == 0], ["contested", "undecided"], default="")
        people = wide.columns.intersection(self.labels["rater"])
        is_open = wide[people].isna().all(axis=1).to_numpy() & (doubt != "")
        names = [*KEY, "task", "model", "kind", "cwe", "oracle", "reason"]
        rows = self.rows[names].rename(columns={"oracle": "by"}).assign(why=doubt)
        rows = rows.join(wide, on=KEY)[is_open & ~self.is_idle.to_numpy()]
        turn = rows.groupby(["why", "task", "by", "reason"]).cumcount()
        rows = rows.assign(turn=turn).sort_values(["why", "turn"], kind="stable")
        return rows.drop(columns="turn").reset_index(drop=True)

    @property
    def is_idle(self) -> pd.Series:
        """Which tests of `rows` no program was executed for: no answer, no program, not run."""
        return self.rows["status"].isin([*NO_PROGRAM, *NOT_THE_MODELS])

    @property
    def counts(self) -> pd.DataFrame:
        """The number of tests to label by hand, by why, kind, oracle and reason."""
        groups = self.labelling_queue.groupby(["why", "kind", "by", "reason"], sort=True)
        return groups.agg(tests=("test", "size"), tasks=("task", "nunique")).reset_index()

    def agreement(self, *, rng: np.random.Generator, n_boot: int = 2000) -> pd.DataFrame:
        """Raw agreement and AC1 of each pair of voices over the tests that both decided.

        The 95% limits resample samples with all their tests.
        """
        wide = self.voice_outcomes
        rows = []
        for first, second in combinations(wide.columns, 2):
            both = _select_decided(wide[[first, second]])
            measured = measure_agreement(both, by="slot", rng=rng, n_boot=n_boot)
            rows.append({"first": first, "second": second, "tests": len(both), **measured})
        return pd.DataFrame(rows, columns=PAIRS)

    def agreement_growth(self, *, rng: np.random.Generator, n_boot: int = 500) -> pd.DataFrame:
        """AC1 of the oracle with each other voice by the number of tests; for a figure.

        People's tests are in the order of labelling, others in random order, because neighbouring
        tests are similar. Columns pair, tests, metric, value, ci_low, ci_high.
        """
        wide = self.voice_outcomes
        labels = self.labels
        rows = []
        for voice in wide.columns[1:]:
            both = _select_decided(wide[[ORACLE, voice]])
            order = pd.MultiIndex.from_frame(labels.loc[labels["rater"] == voice, KEY])
            if len(order):
                both = both.reindex(order[order.isin(both.index)])
            else:
                both = both.iloc[rng.permutation(len(both))]
            for n in np.unique(np.linspace(0, len(both), 9).astype(int))[1:]:
                measured = measure_agreement(both.iloc[:n], by="slot", rng=rng, n_boot=n_boot)
                rows.append({"pair": voice, "tests": n, "metric": "AC1", **measured})
        limits = {"AC1": "value", "AC1_low": "ci_low", "AC1_high": "ci_high"}
        columns = ["pair", "tests", "metric", *limits]
        return pd.DataFrame(rows, columns=columns).rename(columns=limits)

    @property
    def view(self) -> W.VBox:
        """Widgets: the queue, a label box and the page of the chosen test."""
        counted = W.HTML()
        listed = W.Select(rows=8, layout={"width": "100%"}).add_class("kit-list")

        def refresh_queue() -> None:
            queue = self.labelling_queue
            counted.value = f"{len(queue)} tests to label; {min(len(queue), MOST)} are listed"
            names = ("why", "task", "model", "test", "cwe", "by", "reason")
            box.offer(queue.head(MOST), *names)

        def draw_test_page(test: Rating) -> str:
            return self.page(test["slot"], test["test"])

        box = LabelBox(self.store.path, refresh_queue, listed, draw_test_page)
        refresh_queue()
        return W.VBox([W.HTML(render.STYLE), counted, box.view])


def _select_decided(voices: pd.DataFrame) -> pd.DataFrame:
    """The tests that all these voices decided."""
    return voices[voices.isin(DECIDED).all(axis=1)]
