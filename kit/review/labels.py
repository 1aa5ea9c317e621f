"""Manual labels of single tests of a run (verdict, reason, failure mechanism), and agreement.

`labels.jsonl` is beside the run's file, with one JSON object per line. It is append-only: a
person's last label of a test counts. The run's file is not changed, so a person can label while the
run continues, or label a read-only run. The codes are the mechanisms of DualGauge's RQ3 (section
5.3).

A voice is a rater of a test: the run's oracle, a judge, a repeated execution, the label of a
labelled program, a second reading of that label, or a person.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import ipywidgets as W
import numpy as np
import pandas as pd

from kit.errors import KitError
from kit.explore import render
from kit.generation import base
from kit.measures.reduce import NO_PROGRAM, NOT_THE_MODELS
from kit.metrics import agreement
from kit.paths import DATA
from kit.records import Outcome, Task
from kit.store import Store
from kit.suites import of_run


def add_words(path: Path, words: Iterable[Mapping[str, Any]]) -> None:
    """Append the entries in order; creates the file and its folder if necessary."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write("".join(json.dumps(word) + "\n" for word in words))


def read_words(
    path: Path, columns: list[str], known: Callable[[Any], bool], noun: str
) -> pd.DataFrame:
    """All entries in order; no rows if the file does not exist.

    Raises KitError for the first line that is not `known` (or for which that raises KeyError or
    TypeError), as "is no <noun>".
    """
    lines = path.read_text(encoding="utf-8").split("\n") if path.exists() else []
    rows = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            good = known(row)
        except (ValueError, KeyError, TypeError):
            good = False
        if not good:
            raise KitError(f"{path}, line {number} is not a {noun}. Fix or delete the line.")
        rows.append(row)
    return pd.DataFrame(rows, columns=columns)


COLUMNS = ["rater", "slot", "test", "kind", "outcome", "reason", "code", "when"]
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
OTHER = "other"
NO_CODE = ""
DECIDED = ("pass", "fail")


def beside(run: Path) -> Path:
    """The path of a run's labels, given its SQLite file."""
    return run.with_name("labels.jsonl")


def codes(kind: str) -> tuple[str, ...]:
    """The codes that a label of a test of this kind may have."""
    return (NO_CODE, *CODES.get(kind, ()), OTHER)


def add(path: Path, *, rater: str, slot: str, test: str, kind: str, outcome: str,
        reason: str = "", code: str = NO_CODE) -> None:  # fmt: skip
    """Append a label; KitError for a missing name or test, or an unknown outcome or code."""
    if not slot:
        raise KitError("No test is chosen. Choose one in the list first.")
    if not rater.strip() or outcome not in list(Outcome):
        raise KitError(f"Got rater {rater!r}, verdict {outcome!r}. Give your name and one of "
                       f"{', '.join(Outcome)}.")  # fmt: skip
    if code not in codes(kind) or (code and outcome != Outcome.FAIL):
        raise KitError(f"Got mechanism {code!r} for {outcome}. Give one only to failures, one of "
                       f"{', '.join(codes(kind)[1:])}.")  # fmt: skip
    word = (rater.strip(), slot, test, kind, str(outcome), reason, code, base.now())
    try:
        add_words(path, [dict(zip(COLUMNS, word, strict=True))])
    except OSError as error:
        raise KitError(f"{path} cannot be written ({error.strerror}). Copy the run to a folder of "
                       "your own and open it there.") from None  # fmt: skip


def read(path: Path) -> pd.DataFrame:
    """The last label of each person for each test, in order; no rows if there are none."""

    def known(row: Any) -> bool:
        return set(row) == set(COLUMNS) and row["outcome"] in list(Outcome)

    words = read_words(path, COLUMNS, known, "label")
    return words.drop_duplicates(["rater", "slot", "test"], keep="last").reset_index(drop=True)


def agree(
    said: pd.DataFrame, first: str, second: str, *, rng: np.random.Generator, n_boot: int = 2000
) -> dict[str, Any]:
    """Raw agreement and AC1 of two columns of outcomes over the tests that both decided.

    Limits resample samples (slots, the first level of the index) with all their tests.
    """
    wide = said[[first, second]]
    wide = wide[wide.isin(DECIDED).all(axis=1)]
    row: dict[str, Any] = {"first": first, "second": second, "tests": len(wide)}
    if wide.empty:
        return row
    groups = wide.index.get_level_values(0)
    ac1, raw = agreement.intervals(wide, rng=rng, groups=groups, n_boot=n_boot)
    row["split"] = int((wide[first] != wide[second]).sum())
    return row | {"raw": raw.estimate, "AC1": ac1.estimate, "low": ac1.low, "high": ac1.high}


class RaterForm(ABC):
    """The common parts of rating forms: the rater's name, a save button and a status line.

    path: the file of ratings. choices: widgets that select what to rate.
    """

    def __init__(self, path: Path, save: str, *choices: W.Widget, rater: str = "rater") -> None:
        self.path = path
        self.rater = W.Text(description=rater, placeholder="your name")
        self.save = W.Button(description=save, button_style="primary")
        self.status, self.page = W.HTML(), W.HTML()
        self.note = W.Textarea(description="note", layout=W.Layout(width="95%"))
        for widget in (self.rater, *choices):
            widget.observe(lambda _: self._show(), "value")
        self.choices = choices

        def save_answers(_: W.Button) -> None:
            try:
                self._save()
            except KitError as error:
                self.status.value = render.text(str(error))

        self.save.on_click(save_answers)

    def laid_out(self, *answers: W.Widget) -> W.VBox:
        """The form's layout: rater and selection, answers, note, save button, page."""
        parts = [W.HBox([self.rater, *self.choices]), *answers, self.note,
                 W.HBox([self.save, self.status]), self.page]  # fmt: skip
        return W.VBox(parts)

    def own(self, words: pd.DataFrame) -> pd.DataFrame:
        """The entries of this rater."""
        return words[words["rater"] == self.rater.value.strip()]

    @abstractmethod
    def _show(self) -> None:
        """Show the selected item and this rater's earlier answers."""

    @abstractmethod
    def _save(self) -> None:
        """Save the answers and show the next item; KitError if they cannot be saved."""


class LabelBox(RaterForm):
    """Widgets for a person's label of one test: `LabelBox(run, act).view`.

    run: the run's SQLite file. act is called after a label was saved.
    """

    def __init__(self, run: Path, act: Callable[[], None]) -> None:
        super().__init__(beside(run), "save my verdict", rater="I am")
        self.act, self.at = act, ("", "", "functional")
        options: Sequence[Any] = [("-", None), *((str(o), str(o)) for o in Outcome)]
        self.outcome = W.ToggleButtons(options=options, style={"button_width": "7em"})
        self.code = W.Dropdown(description="mechanism")
        wide = W.Layout(width="34em")
        self.reason = W.Text(description="because", layout=wide, placeholder="my reason")
        parts = [self.rater, self.outcome, self.code, self.reason, self.save, self.status]
        self.view = W.HBox(parts, layout=W.Layout(flex_flow="row wrap"))

    def show(self, slot: str, test: str, kind: str) -> None:
        """Select this test, and fill in the person's earlier label."""
        self.at = (slot, test, kind)
        self._show()

    def _show(self) -> None:
        slot, test, kind = self.at
        own = self.own(read(self.path))
        mine = own[(own["slot"] == slot) & (own["test"] == test)]
        self.code.options = [(name or "-", name) for name in codes(kind)]
        for widget, column, empty in ((self.outcome, "outcome", None), (self.reason, "reason", ""),
                                      (self.code, "code", NO_CODE)):  # fmt: skip
            widget.value = mine[column].iloc[0] if len(mine) else empty
        self.status.value = f"{len(own)} labelled by you" if len(own) else ""

    def _save(self) -> None:
        slot, test, kind = self.at
        add(self.path, rater=self.rater.value, slot=slot, test=test, kind=kind,
            code=self.code.value or NO_CODE, outcome=self.outcome.value or "",
            reason=self.reason.value)  # fmt: skip
        self._show()
        self.status.value = f"saved; {self.status.value}"
        self.act()


ORACLE = "oracle"
SECOND_READING = DATA / "reviews" / "labels_js_cpp.csv"  # of the programs of DualGauge's suite
KEY = ["slot", "test"]
PROGRAM = ["task", "program", "test"]
MOST = 200  # tests of the queue that are listed


class Disagreements:
    """`Explorer.disagreements`: tests on which voices differ; labels are read again each time.

    rows: the run's tidy table; page: (slot, test) -> the HTML that an adjudicator sees.
    """

    def __init__(self, store: Store, tasks: Sequence[Task], rows: pd.DataFrame,
                 page: Callable[[str, str], str]) -> None:  # fmt: skip
        self.store, self.tasks, self.rows, self.page = store, tasks, rows, page

    @property
    def voices(self) -> pd.DataFrame:
        """(slot, test) -> one column per voice with its outcome; None if it has no outcome.

        The oracle's column is the first; people come last.
        """
        rows, opinions, repeats = self.rows, self.store.opinions(), self.store.repeats()
        judges = "judge " + opinions["judge"].astype(str)
        numbers = "repeat " + repeats["repeat"].astype(str)
        parts = [rows[KEY].assign(voice=ORACLE, outcome=rows["outcome"]),
                 opinions[KEY].assign(voice=judges, outcome=opinions["judge_outcome"]),
                 repeats[KEY].assign(voice=numbers, outcome=repeats["outcome"])]  # fmt: skip
        if "program" in rows:
            labels = of_run(self.store).references(self.tasks)[1]
            known = {"label": labels.rename(columns={"label": "outcome"})}
            if self.store.meta().get("suite") == "dualgauge":
                second = pd.read_csv(SECOND_READING).rename(columns={"second": "outcome"})
                known["second reading"] = second
            programs = rows[[*KEY, "task", "program"]]
            for voice, table in known.items():
                labelled = programs.merge(table[[*PROGRAM, "outcome"]], on=PROGRAM)
                parts.append(labelled[[*KEY, "outcome"]].assign(voice=voice))
        people = read(beside(self.store.path))
        parts.append(people[KEY].assign(voice=people["rater"], outcome=people["outcome"]))
        every = pd.concat([p for p in parts if len(p)])
        wide = every.pivot_table(index=KEY, columns="voice", values="outcome", aggfunc="last")
        wide = wide.reindex(pd.MultiIndex.from_frame(rows[KEY]))
        return wide[list(dict.fromkeys(every["voice"]))].rename_axis(columns=None)

    @property
    def queue(self) -> pd.DataFrame:
        """Tests to label by hand: those on which voices disagree, then undecided ones.

        Only tests that a program was executed for: nobody can decide others. The first test of
        each task, oracle and reason comes before the second of any.
        """
        wide = self.voices
        people = set(read(beside(self.store.path))["rater"])
        decided = wide.where(wide.isin(DECIDED))
        reason = np.select([decided.nunique(axis=1) > 1, decided.notna().sum(axis=1) == 0],
                        ["contested", "undecided"], default="")  # fmt: skip
        names = [*KEY, "task", "model", "kind", "cwe", "oracle", "reason"]
        rows = self.rows[names].rename(columns={"oracle": "by"}).assign(why=reason)
        rows = rows.join(wide, on=KEY)
        free = wide[[c for c in wide if c in people]].isna().all(axis=1).to_numpy()
        rows = rows[free & (reason != "") & ~self.idle.to_numpy()]
        turn = rows.groupby(["why", "task", "by", "reason"]).cumcount()
        return rows.assign(turn=turn).sort_values(["why", "turn"], kind="stable").drop(
            columns="turn").reset_index(drop=True)  # fmt: skip

    @property
    def idle(self) -> pd.Series:
        """Which tests of `rows` no program was executed for: no answer, no program, not run."""
        return self.rows["status"].isin([str(s) for s in (*NO_PROGRAM, *NOT_THE_MODELS)])

    @property
    def counts(self) -> pd.DataFrame:
        """The number of tests to label by hand, by why, kind, oracle and reason."""
        groups = self.queue.groupby(["why", "kind", "by", "reason"], sort=True)
        return groups.agg(tests=("test", "size"), tasks=("task", "nunique")).reset_index()

    def agreement(self, *, rng: np.random.Generator, n_boot: int = 2000) -> pd.DataFrame:
        """Inter-rater agreement of each pair of voices: tests, disagreements (split), raw and AC1.

        low, high: 95% limits of AC1, resampling samples with all their tests.
        """
        wide = self.voices
        pairs = combinations(wide.columns, 2)
        return pd.DataFrame([agree(wide, a, b, rng=rng, n_boot=n_boot) for a, b in pairs],
                            columns=["first", "second", "tests", "split", "raw", "AC1", "low",
                                     "high"])  # fmt: skip

    def growth(self, *, rng: np.random.Generator, n_boot: int = 500) -> pd.DataFrame:
        """AC1 of the oracle with each other voice by the number of tests; for a figure.

        People's tests are in the order of labelling, others in random order, because neighbouring
        tests are similar. Columns pair, tests, metric, value, ci_low, ci_high.
        """
        wide, points = self.voices, []
        words = read(beside(self.store.path))
        for voice in wide.columns[1:]:
            both = wide.loc[wide[[ORACLE, voice]].isin(DECIDED).all(axis=1), [ORACLE, voice]]
            mine = words.loc[words["rater"] == voice, KEY]
            if mine.empty:
                both = both.iloc[rng.permutation(len(both))]
            else:
                order = pd.MultiIndex.from_frame(mine)
                both = both.reindex(order[order.isin(both.index)])
            for n in np.unique(np.linspace(0, len(both), 9).astype(int))[1:]:
                row = agree(both.iloc[:n], ORACLE, voice, rng=rng, n_boot=n_boot)
                points.append((voice, n, "AC1", row["AC1"], row["low"], row["high"]))
        return pd.DataFrame(
            points, columns=["pair", "tests", "metric", "value", "ci_low", "ci_high"]
        )

    @property
    def view(self) -> W.VBox:
        """Widgets: the queue, a label box and the page of the chosen test."""
        listed, page, status = W.Select(rows=8, layout=W.Layout(width="100%")), W.HTML(), W.HTML()
        listed.add_class("kit-list")

        def show() -> None:
            if listed.value is None:
                box.show("", "", "functional")
                page.value = "No test is left to label."
                return
            slot, test, kind = listed.value
            box.show(slot, test, kind)
            page.value = self.page(slot, test)

        def fill() -> None:
            queue = self.queue
            status.value = f"{len(queue)} tests to label; {min(len(queue), MOST)} are listed"
            names = ("why", "task", "model", "test", "cwe", "by", "reason")
            options = [
                (render.one_line("  ".join(str(getattr(r, n)) for n in names)),
                 (r.slot, r.test, r.kind)) for r in queue.head(MOST).itertuples()
            ]  # fmt: skip
            listed.options = options
            listed.value = options[0][1] if options else None
            show()

        box = LabelBox(self.store.path, fill)
        listed.observe(lambda _: show(), "value")
        fill()
        return W.VBox([W.HTML(render.STYLE), status, listed, box.view, page])
