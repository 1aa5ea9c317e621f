"""The form in which people rate: its fields, the file of their ratings, and their agreement.

A file of ratings is append-only and has one JSON object per line: the rater's name, what was rated,
an answer to each field, and the time. A rater's last rating of a subject counts.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import ipywidgets as W
import pandas as pd

from kit.core.errors import KitError
from kit.core.paths import read_text
from kit.explore import render
from kit.generation import base
from kit.scoring import agreement

WIDE = {"width": "95%"}
TOGGLES = partial(W.ToggleButtons, style={"button_width": "7em", "description_width": "initial"})
LINES = partial(W.Textarea, layout=WIDE)
AGREEMENT = ["split", "AC1", "AC1_low", "AC1_high", "raw", "raw_low", "raw_high"]
Rating = Mapping[str, Any]


@dataclass(frozen=True)
class Field:
    """What a rater is asked.

    choices: each possible answer and what it means, "" for no answer; None: any text.
    """

    name: str
    choices: Mapping[str, str] | None = None
    help: str = ""
    widget: Callable[..., Any] = TOGGLES

    def list_choices(self, rating: Rating) -> Mapping[str, str] | None:  # noqa: ARG002
        """The choices for what is rated."""
        return self.choices


@dataclass(frozen=True)
class RatingKind:
    """What is rated, and what raters are asked about it.

    subject: the columns that identify what is rated; facts: further columns that are kept.
    """

    subject: list[str]
    fields: list[Field]
    facts: Sequence[str] = ()

    @property
    def columns(self) -> list[str]:
        """The keys of each line of a file."""
        return ["rater", *self.subject, *self.facts, *(f.name for f in self.fields), "when"]

    def check(self, rating: Rating) -> None:
        """KitError with the mend if the rating has a mistake."""
        if not isinstance(rating, dict) or set(rating) != set(self.columns):
            raise KitError(f"Give these columns: {', '.join(self.columns)}.")
        if not str(rating["rater"]).strip():
            raise KitError("Give your name.")
        for field in self.fields:
            answer = rating[field.name]
            choices = field.list_choices(rating)
            possible = [str(answer)] if choices is None else list(choices)
            if answer not in possible:
                mend = f"Give {' or '.join(map(repr, possible))}."
                raise KitError(f"Got {field.name} {answer!r}. {mend}")

    def add(self, path: Path, rating: Rating) -> None:
        """Append a rating to the file, which is made if necessary; KitError for a mistake."""
        self.check(rating)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(rating) + "\n")

    def read(self, path: Path) -> pd.DataFrame:
        """The last rating of each rater for each subject, in order; no rows without a file."""
        ratings = []
        lines = read_text(path).split("\n") if path.exists() else []
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                ratings.append(json.loads(line))
                self.check(ratings[-1])
            except (KitError, ValueError, TypeError) as error:
                mend = "Fix or delete the line."
                raise KitError(f"{path}, line {number} is not a rating: {error} {mend}") from None
        table = pd.DataFrame(ratings, columns=self.columns)
        last = table.drop_duplicates(["rater", *self.subject], keep="last")
        return last.reset_index(drop=True)


class RatingForm:
    """Widgets for one rater at a time: `form.view` is what a cell displays.

    What others answered is hidden. chosen: a widget that lists what there is to rate. draw_page:
    the HTML of one of them.
    """

    def __init__(
        self,
        kind: RatingKind,
        path: Path,
        chosen: Any,
        draw_page: Callable[[Rating], str],
        save: str = "save and next",
    ) -> None:
        self.kind = kind
        self.path = path
        self.chosen = chosen
        self.draw_page = draw_page
        self.subjects = pd.DataFrame(columns=kind.columns)
        self.rater = W.Text(description="rater", placeholder="your name")
        self.answers = {}
        for field in kind.fields:
            name = f"{field.name}: {field.help}" if field.help else field.name
            self.answers[field.name] = field.widget(description=name)
        self.save = W.Button(description=save, button_style="primary")
        self.status = W.HTML()
        self.page = W.HTML(layout={"width": "100%"})
        answers = self.answers.values()
        parts = [self.rater, chosen, *answers, self.save, self.status, self.page]
        self.view = W.HBox(parts, layout={"flex_flow": "row wrap"})
        for widget in (self.rater, chosen):
            widget.observe(lambda _: self.refresh(), "value")
        self.save.on_click(lambda _: self.save_answers())

    def offer(self, subjects: pd.DataFrame, *columns: str) -> None:
        """Let the rater choose one of these rows, which these columns name in the list."""
        self.subjects = subjects
        names = subjects[list(columns)].astype(str).to_numpy()
        lines = [render.one_line(" ".join(name)) for name in names]
        self.chosen.options = [(f"{n + 1}  {line}", n) for n, line in enumerate(lines)]
        self.chosen.index = 0 if lines else None
        self.refresh()

    @property
    def row(self) -> pd.DataFrame:
        """The row that is chosen; none if nothing is."""
        n = self.chosen.value
        return self.subjects.iloc[[] if n is None else [n]]

    @property
    def own_ratings(self) -> pd.DataFrame:
        """The last ratings of this rater."""
        ratings = self.kind.read(self.path)
        return ratings[ratings["rater"] == self.rater.value.strip()]

    def find_earlier(self) -> Rating:
        """This rater's earlier answers to what is chosen."""
        return first_row(self.own_ratings.merge(self.row[self.kind.subject]))

    def describe_progress(self) -> str:
        """How much of what there is to rate this rater has rated."""
        rated = self.own_ratings.merge(self.subjects[self.kind.subject])
        return f"{len(rated)} of {len(self.subjects)} rated"

    def refresh(self) -> None:
        """Show what is chosen and this rater's earlier answers to it."""
        subject = first_row(self.row)
        earlier = self.find_earlier()
        for field in self.kind.fields:
            widget = self.answers[field.name]
            choices = field.list_choices(subject)
            if choices is not None:
                names = [f"{name}: {choices[name]}".strip(": ") or "-" for name in choices]
                widget.options = list(zip(names, choices, strict=True))
            no_answer = "" if choices is None or "" in choices else None
            widget.value = earlier.get(field.name, no_answer)
        self.status.value = self.describe_progress()
        self.page.value = self.draw_page(subject) if subject else "Nothing is left to rate."

    def save_answers(self) -> None:
        """Store the answers and go on, or say what is wrong with them."""
        rating = first_row(self.row[[*self.kind.subject, *self.kind.facts]])
        rating |= {name: widget.value for name, widget in self.answers.items()}
        rating |= {"rater": self.rater.value.strip(), "when": base.current_time()}
        try:
            if self.row.empty:
                raise KitError("Nothing is left to rate.")
            self.kind.check(rating)
            receipt = self.store(rating)
            self.go_on()
            message = f"{receipt}; {self.status.value}"
        except KitError as error:
            message = str(error)
        except OSError as error:
            message = f"{self.path} cannot be written ({error.strerror}). Copy its folder first."
        self.status.value = render.escape_text(message)

    def store(self, rating: Rating) -> str:
        """Store a rating and say what was done; KitError if that cannot be."""
        self.kind.add(self.path, rating)
        return "saved"

    def go_on(self) -> None:
        """Show the next one; after the last one the first."""
        self.chosen.value = (self.chosen.value + 1) % len(self.subjects)
        self.refresh()


def format_json(value: Any) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False)


def first_row(rows: pd.DataFrame) -> dict[str, Any]:
    """The first row; empty if there is none."""
    return dict(next(iter(rows.to_dict("records")), {}))


def measure_agreement(ratings: pd.DataFrame, by: str = "", **options: Any) -> dict[str, float]:
    """How many rows split the raters, and AC1 and raw agreement with their 95% limits.

    ratings: a column per rater, complete; without two raters there is no agreement. by: a level of
    the index whose rows are resampled together. options: of `kit.scoring.agreement.intervals`.
    """
    if ratings.shape[1] < 2 or ratings.empty:
        return {}
    groups = ratings.index.get_level_values(by) if by else None
    numbers: list[float] = [int((ratings.nunique(axis=1) > 1).sum())]
    for interval in agreement.estimate_intervals(ratings, groups=groups, **options):
        numbers += [interval.estimate, interval.low, interval.high]
    return dict(zip(AGREEMENT, numbers, strict=True))
