"""The item review: raters answer yes-or-no questions on each item; their agreement.

Of items of DualGauge they are the nine of its appendix E.1, of Java instances those that
RealSec-bench's experts answer in its section 2.2.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import ipywidgets as W
import numpy as np
import pandas as pd

from kit.core.paths import DATA, path_to_write
from kit.core.records import Task
from kit.explore import render
from kit.explore.rating import (
    LINES,
    TOGGLES,
    WIDE,
    Field,
    Rating,
    RatingForm,
    RatingKind,
    format_json,
    measure_agreement,
)

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
INSTANCE_FIELDS = {
    "weakness_real": "Is the weakness real here?",
    "cwe_right": "Is the CWE right?",
    "docstring_neutral": "Is the docstring without a hint at the weakness or its mend?",
    "docstring_sufficient": "Can the method be written from docstring and signature alone?",
    "tests_fit": "Do the tests check what the docstring says?",
}
FIELDS_OF_SUITES = {"realsec": INSTANCE_FIELDS}
SHOWN_OF_DETAILS = ("report", "flow", "function_body")  # of a Java instance
ROUNDS = ("independent", "negotiated")
FINAL, POOLED = "Final benchmark decision", "Pooled field-level judgments"
YES_OR_NO = {"": "", "yes": "", "no": ""}
ROW = partial(TOGGLES, layout=WIDE)
COLUMNS = ["rater", "round", "item", "field", "value"]


def build_kind(fields: Mapping[str, str]) -> RatingKind:
    """An item, with these questions."""
    questions = [Field(name, YES_OR_NO, question, ROW) for name, question in fields.items()]
    return RatingKind(["item", "round"], [*questions, Field("note", widget=LINES)])


ITEM = build_kind(FIELDS)


def read_answers(path: Path, fields: Mapping[str, str] = FIELDS) -> pd.DataFrame:
    """The last answer of each rater to each question on each item; value: whether it is yes."""
    answers = build_kind(fields).read(path).melt(COLUMNS[:3], list(fields), "field", "value")
    answers = answers[answers["value"] != ""]
    return answers.assign(value=answers["value"] == "yes")


def find_sound_items(answers: pd.DataFrame, fields: Mapping[str, str] = FIELDS) -> pd.DataFrame:
    """rater, item, value: all answers are yes; items with an open question are left out."""
    groups = answers.groupby(["rater", "item"])["value"]
    items = groups.agg(["all", "size"]).reset_index()
    finished = items[items["size"] == len(fields)]
    return finished.rename(columns={"all": "value"})[["rater", "item", "value"]]


def review_agreement(
    answers: pd.DataFrame, fields: Mapping[str, str] = FIELDS, **options: Any
) -> pd.DataFrame:
    """Gwet's AC1 and raw agreement of the conjunction, the pool and each field, with limits.

    Of the independent round, over the items that all raters of the table rated; `items` counts
    them, `split` those (for the pool: the fields of items) on which they differ. options: rng and
    n_boot, the number of resamples.
    """
    answers = answers[answers["round"] == "independent"]
    sound = find_sound_items(answers, fields)
    parts = {FINAL: (sound, ["item"]), POOLED: (answers, ["item", "field"])}
    parts |= {name: (answers[answers["field"] == name], ["item"]) for name in fields}
    rows = []
    for name, (part, index) in parts.items():
        wide = part.pivot_table("value", index, "rater", aggfunc="last").dropna().astype(float)
        items = wide.index.get_level_values("item").nunique()
        row = {"field": name, "items": items, "raters": wide.shape[1]}
        if measured := measure_agreement(wide, "item" if name == POOLED else "", **options):
            row |= {"yes": wide.to_numpy().mean(), **measured}
        rows.append(row)
    return pd.DataFrame(rows)


def simulate_raters(
    items: Sequence[str],
    *,
    raters: int,
    sound: float,
    slip: float,
    rng: np.random.Generator,
    fields: Mapping[str, str] = FIELDS,
) -> pd.DataFrame:
    """Simulated answers, with rater names that say so.

    Each field is yes with probability `sound`; each rater errs with probability `slip`.
    """
    truth = rng.random((len(items), len(fields))) < sound
    answers = [truth ^ (rng.random(truth.shape) < slip) for _ in range(raters)]
    names = [f"simulated-{rater + 1}" for rater in range(raters)]
    rows = product(names, ROUNDS[:1], items, fields)
    return pd.DataFrame(rows, columns=COLUMNS[:4]).assign(value=np.ravel(answers))


class ReviewForm(RatingForm):
    """Widgets for one rater at a time: `ReviewForm(tasks, path).view` is what a cell displays.

    Answers of other raters are hidden, so that the first round is independent. path: the file of
    ratings; default: data/reviews/SUITE.jsonl. The questions are those of the tasks' suite.
    """

    def __init__(self, tasks: Iterable[Task], path: str | Path = "") -> None:
        self.tasks = {task.id: task for task in tasks}
        suite = next((task.suite for task in self.tasks.values()), "dualgauge")
        file = Path(path) if path else path_to_write(DATA / "reviews" / f"{suite}.jsonl")
        self.fields = FIELDS_OF_SUITES.get(suite, FIELDS)
        self.agreement = partial(review_agreement, fields=self.fields)
        self.simulated = partial(simulate_raters, fields=self.fields)
        kind = build_kind(self.fields)
        super().__init__(kind, file, W.Dropdown(description="item"), self._draw_item)
        rows = pd.DataFrame(product(ROUNDS, self.tasks), columns=["round", "item"])
        self.offer(rows, "item", "round")

    @staticmethod
    def of_drafts(folder: str | Path) -> RatingForm:
        """The form to accept, edit or drop drafts, and each of their tests."""
        from kit.review.drafts import DraftReview

        return DraftReview(folder)

    @property
    def words(self) -> pd.DataFrame:
        """The last answer of each rater to each question on each item."""
        return read_answers(self.path, self.fields)

    def _draw_item(self, item: Rating) -> str:
        """The specification, what else there is to a Java instance, and each test."""
        task = self.tasks[item["item"]]
        panels = [
            render.make_panel(
                f"{task.id} {task.title}", render.make_preformatted_block(task.prompt)
            )
        ]
        details = json.loads(task.details or "{}") if task.suite in FIELDS_OF_SUITES else {}
        for name in SHOWN_OF_DETAILS:
            value = details.get(name)
            if value:
                text = value if isinstance(value, str) else format_json(value)
                panels.append(render.make_panel(name, render.make_preformatted_block(text)))
        for test in task.tests:
            expected = test.behavior or test.expected
            facts = format_json({"input": test.input_file or test.input, "expected": expected})
            panels.append(
                render.make_panel(f"{test.id} {test.cwe}", render.make_preformatted_block(facts))
            )
        return render.page_of("".join(panels))
