"""The item review: raters answer nine yes-or-no questions per item; computes their agreement.

A ratings file has one JSON object per line and is append-only: a rater's last answer on a field
counts, and earlier ones are kept. The fields are those of DualGauge's appendix E.1.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import ipywidgets as W
import numpy as np
import pandas as pd

from kit.errors import KitError
from kit.explore import render
from kit.generation import base
from kit.metrics import agreement
from kit.paths import DATA, own
from kit.records import Task
from kit.review import labels

FIELDS = {
    "prompt_clear": "Is the specification unambiguous?",
    "prompt_language_agnostic": "Can it be implemented in any programming language?",
    "prompt_io_defined": "Does it define input and output?",
    "fc_tests_correct": "Does every functional test expect what the specification says?",
    "fc_tests_coverage": "Do the functional tests cover every important behaviour?",
    "sec_tests_correct": "Does every security test expect what a secure program does?",
    "sec_tests_coverage": "Do the security tests cover every important weakness?",
    "sec_tests_language_agnostic": "Are the security tests valid in any language?",
    "cwe_consistent": "Does each CWE name the weakness that its test probes?",
}
ROUNDS = ("independent", "negotiated")
FINAL, POOLED = "Final benchmark decision", "Pooled field-level judgments"
FOLDER = DATA / "reviews"
COLUMNS = ["rater", "round", "item", "field", "value", "note", "when"]


def add(
    path: Path,
    answers: Mapping[str, bool],
    *,
    rater: str,
    item: str,
    phase: str = "independent",
    note: str = "",
) -> None:
    """Append a rater's answers on an item to the file; KitError for an unknown field or round."""
    if unknown := set(answers) - set(FIELDS):
        raise KitError(f"Unknown field {min(unknown)!r}. Use some of: {', '.join(FIELDS)}.")
    if phase not in ROUNDS or not rater.strip():
        raise KitError(f"Got rater {rater!r}, round {phase!r}. Give your name and one of {ROUNDS}.")
    who = {"rater": rater.strip(), "round": phase, "item": item, "when": base.now()}
    labels.add_words(path, ({**who, "field": name, "value": bool(value), "note": note}
                            for name, value in answers.items()))  # fmt: skip


def read(path: Path) -> pd.DataFrame:
    """All answers of all raters in order; no rows if the file does not exist."""

    def known(row: Any) -> bool:
        return row["field"] in FIELDS and isinstance(row["value"], bool)

    return labels.read_words(path, COLUMNS, known, "rating")


def latest(words: pd.DataFrame, *, phase: str = "independent") -> pd.DataFrame:
    """The last answer of each rater on each field of each item, in one of the rounds."""
    words = words[words["round"] == phase]
    return words.drop_duplicates(["rater", "item", "field"], keep="last").reset_index(drop=True)


def final(words: pd.DataFrame) -> pd.DataFrame:
    """rater, item, value: all nine answers are yes; unfinished items are left out.

    An item with one "no" is finished only if all nine fields are answered.
    """
    groups = words.groupby(["rater", "item"])["value"]
    whole = groups.agg(["all", "size"]).reset_index()
    whole = whole[whole["size"] == len(FIELDS)]
    return whole.rename(columns={"all": "value"})[["rater", "item", "value"]]


def review_agreement(
    words: pd.DataFrame, *, rng: np.random.Generator, n_boot: int = 5000
) -> pd.DataFrame:
    """Gwet's AC1 and raw agreement of the conjunction, the pool and each field, with limits.

    Of the last words of the independent round, over the items that all raters of the table rated;
    `items` counts them, `split` those (for the pool: the fields of items) on which they differ.
    """
    words = latest(words)
    tables = {FINAL: _wide(final(words), ["item"]), POOLED: _wide(words, ["item", "field"])}
    tables |= {name: _wide(words[words["field"] == name], ["item"]) for name in FIELDS}
    options = {"rng": rng, "n_boot": n_boot}
    return pd.DataFrame([_row(name, wide, **options) for name, wide in tables.items()])


def _wide(words: pd.DataFrame, index: list[str]) -> pd.DataFrame:
    wide = words.pivot_table(index=index, columns="rater", values="value", aggfunc="last")
    return wide.dropna().astype(float)


def _row(name: str, wide: pd.DataFrame, **options: Any) -> dict[str, Any]:
    items = wide.index.get_level_values("item")
    row: dict[str, Any] = {"field": name, "items": items.nunique(), "raters": wide.shape[1]}
    if wide.shape[1] < 2 or wide.empty:
        return row
    intervals = agreement.intervals(wide, groups=items if name == POOLED else None, **options)
    row |= {"yes": wide.to_numpy().mean(), "split": int((wide.nunique(axis=1) > 1).sum())}
    for metric, interval in zip(("AC1", "raw"), intervals, strict=True):
        names = (metric, f"{metric}_low", f"{metric}_high")
        row |= dict(zip(names, (interval.estimate, interval.low, interval.high), strict=True))
    return row


def simulated(
    items: Sequence[str], *, raters: int, sound: float, slip: float, rng: np.random.Generator
) -> pd.DataFrame:
    """Simulated answers, with rater names that say so.

    Each field is yes with probability `sound`; each rater errs with probability `slip`.
    """
    truth = rng.random((len(items), len(FIELDS))) < sound
    rows = []
    for r in range(raters):
        heard = truth ^ (rng.random(truth.shape) < slip)
        for i, item in enumerate(items):
            rows += [(f"simulated-{r + 1}", ROUNDS[0], item, name, bool(heard[i, f]), "", "")
                     for f, name in enumerate(FIELDS)]  # fmt: skip
    return pd.DataFrame(rows, columns=COLUMNS)


class ReviewForm(labels.RaterForm):
    """Widgets for one rater at a time: `ReviewForm(tasks, path).view` is what a cell displays.

    Answers of other raters are hidden, so that the first round is independent. path: the file of
    ratings; default: data/reviews/SUITE.jsonl.
    """

    agreement = staticmethod(review_agreement)
    simulated = staticmethod(simulated)

    def __init__(self, tasks: Iterable[Task], path: str | Path = "") -> None:
        self.tasks = {t.id: t for t in tasks}
        self.phase = W.ToggleButtons(options=ROUNDS)
        self.item = W.Dropdown(options=list(self.tasks), description="item")
        choices = [("-", None), ("yes", True), ("no", False)]
        narrow = W.Layout(width="70px")
        self.answers = {
            name: W.ToggleButtons(options=choices, style={"button_width": narrow.width})
            for name in FIELDS
        }
        usual = FOLDER / f"{next((t.suite for t in self.tasks.values()), 'dualgauge')}.jsonl"
        super().__init__(Path(path) if path else own(usual), "save", self.phase, self.item)
        rows = [W.HBox([self.answers[n], W.HTML(f"<b>{n}</b> {q}")]) for n, q in FIELDS.items()]
        self.view = self.laid_out(*rows)
        self._show()

    @property
    def words(self) -> pd.DataFrame:
        """All answers of all raters in the file, in order."""
        return read(self.path)

    def _own(self) -> dict[str, bool]:
        """This rater's last answers on this item in this round."""
        mine = self.own(latest(self.words, phase=self.phase.value))
        mine = mine[mine["item"] == self.item.value]
        return {name: bool(value) for name, value in zip(mine["field"], mine["value"], strict=True)}

    def _show(self) -> None:
        own = self._own()
        for name, widget in self.answers.items():
            widget.value = own.get(name)
        self.note.value, self.status.value = "", f"{len(own)} of {len(FIELDS)} fields answered"
        self.page.value = page(self.tasks[self.item.value]) if self.item.value else "No items."

    def _save(self) -> None:
        before, answers = self._own(), {n: w.value for n, w in self.answers.items()}
        new = {n: v for n, v in answers.items() if v is not None and before.get(n) is not v}
        who = {"rater": self.rater.value, "phase": self.phase.value, "item": self.item.value}
        add(self.path, new, **who, note=self.note.value)
        self._show()
        self.status.value = f"saved {len(new)} answers; {self.status.value}"


def page(task: Task) -> str:
    """An item as HTML: the specification and each test."""
    panels = [render.panel(f"{task.id} {task.title}", render.pre(task.prompt))]
    for t in task.tests:
        facts = {"input": t.input_file or t.input, "expected": t.behavior or t.expected}
        text = json.dumps(facts, indent=1, ensure_ascii=False)
        panels.append(render.panel(f"{t.id} {t.cwe}", render.pre(text)))
    return render.page_of("".join(panels))
