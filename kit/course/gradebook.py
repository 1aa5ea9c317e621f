"""Marks as tables: by exercise, by hand, by weight, and in the columns of Canvas and of Moodle."""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pandas as pd

from kit.core.errors import KitError
from kit.core.paths import DATA, read_text

HAND = " by hand"  # the end of a gradebook's column beside the computed one
WEIGHTS = DATA / "course" / "weights.csv"
LOGINS = {"SIS Login ID": "Canvas", "Email address": "Moodle"}  # a student in an exported gradebook


@dataclass(frozen=True)
class Weight:
    """A lab's weight among the labs, and its date if it has one."""

    weight: float
    due: datetime | None


@dataclass(frozen=True)
class Marks:
    """exercises: one row per student and marked exercise; explanations: texts to mark by hand.

    A lab that was not handed in earns 0 and counts in the maximum. An explanation earns 0 until it
    is marked by hand. An exercise that the sandbox could not run has no points, and its sum has
    none. A mark by hand (`by_hand`) replaces the computed one in every sum. late: a student's labs
    that were handed in after their date, which costs nothing. unread: notebooks that were not
    marked, because of their names.
    """

    exercises: pd.DataFrame
    explanations: pd.DataFrame
    weights: Mapping[str, Weight]
    late: Mapping[str, Sequence[str]] = field(default_factory=dict)
    unread: Sequence[str] = ()

    def by_student(self) -> pd.DataFrame:
        """One row per student: points of each lab, totals, number of written explanations."""
        table = self._add_totals(self.by_lab("points"))
        written = self.explanations[self.explanations["words"] > 0].groupby("student").size()
        return table.assign(explanations=written.reindex(table.index, fill_value=0)).reset_index()

    def make_gradebook(self) -> pd.DataFrame:
        """One row per student: each exercise and its mark by hand; sum, maximum, per cent."""
        named = self.exercises["lab"] + " " + self.exercises["exercise"]
        computed = self._sum_by(named, self.exercises["points"])
        by_hand = self._sum_by(named, self.exercises["by_hand"])
        table = pd.DataFrame(index=computed.index)
        for name in computed:
            table[name] = computed[name]
            table[name + HAND] = by_hand[name]
        return self._add_totals(table).reset_index()

    def by_lab(self, what: str) -> pd.DataFrame:
        """One row per student, one column per lab: its "points", or their maximum ("of")."""
        rows = self.exercises
        counting = rows["by_hand"].fillna(rows["points"]) if what == "points" else rows[what]
        return self._sum_by(rows["lab"], counting)

    def _sum_by(self, by: pd.Series, values: pd.Series) -> pd.DataFrame:
        """The sums of a student's values as columns, in the order of the exercises."""
        sums = values.groupby([self.exercises["student"], by]).agg(lambda c: c.sum(skipna=False))
        return sums.unstack()[list(dict.fromkeys(by))]

    def _add_totals(self, table: pd.DataFrame) -> pd.DataFrame:
        """The table with the sum, and the weighted mean of the shares in the marked labs."""
        points = self.by_lab("points")
        maxima = self.by_lab("of")
        weights = pd.Series({lab: self.weights[lab].weight for lab in points})
        share = (points / maxima * weights).sum(axis=1, skipna=False) / weights.sum()
        late = [" ".join(self.late.get(student, ())) for student in table.index]
        return table.assign(
            total=points.sum(axis=1, skipna=False),
            maximum=maxima.sum(axis=1),
            percent=(100 * share).round(1),
            late=late,
        )


def read_rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows of a CSV file with a header, each with the number of its line."""
    return enumerate(csv.DictReader(read_text(path).splitlines()), 2)


def read_weights(path: Path, labs: Sequence[str]) -> dict[str, Weight]:
    """The rows lab,weight,due of these labs; a date without a time is the end of that day here."""
    table = {}
    for number, row in read_rows(path):
        try:
            table[row["lab"]] = Weight(float(row["weight"]), _read_date(row["due"].strip()))
        except (AttributeError, KeyError, TypeError, ValueError):
            example = "lab_01,10,2027-03-05 or lab_01,10,2027-03-05 18:00"
            raise KitError(f"{path}, line {number}: give lab,weight,due, as {example}.") from None
    missing = set(labs) - set(table)
    if missing:
        raise KitError(f"{path} does not say what {min(missing)} weighs. Add {min(missing)},10,")
    total = sum(table[lab].weight for lab in labs)
    if not total > 0 or any(row.weight < 0 for row in table.values()):
        raise KitError(f"{path}: a weight is negative, or {', '.join(labs)} weigh nothing.")
    return table


def _read_date(due: str) -> datetime | None:
    if not due:
        return None
    has_no_time = len(due) == len("2027-03-05")
    return datetime.fromisoformat(due).astimezone() + timedelta(days=has_no_time)


def read_by_hand(path: Path) -> dict[tuple[str, str], float]:
    """The marks in the columns "... by hand" of a gradebook; empty if there is no file.

    Raises KitError for a file that is no gradebook, and for a mark that is no number.
    """
    table = _read_table(path) if path.exists() else pd.DataFrame(columns=["student", "maximum"])
    if not {"student", "maximum"} <= set(table.columns):
        raise KitError(f"{path} is no gradebook of `kit course check`. Name another file.")
    marks = {}
    for column in table.columns[table.columns.str.endswith(HAND)]:
        for student, mark in zip(table["student"], table[column].str.strip(), strict=True):
            if not mark:
                continue
            try:
                marks[student, column.removesuffix(HAND)] = float(mark.replace(",", "."))
            except ValueError:
                raise KitError(
                    f"{path}: {mark!r} in {column!r} of {student} is no number."
                ) from None
    return marks


def _read_table(path: Path) -> pd.DataFrame:
    """A CSV file as texts; an empty table if it cannot be parsed."""
    try:
        return pd.read_csv(StringIO(read_text(path)), dtype=object, keep_default_na=False)
    except (ValueError, pd.errors.ParserError):
        return pd.DataFrame()


def _find_login(table: pd.DataFrame) -> str | None:
    """The column with the students' logins in a gradebook that Canvas or Moodle exported."""
    return next((name for name in LOGINS if name in table.columns), None)


def read_roster(path: Path) -> list[str]:
    """Names of students, one per line; or the logins in a gradebook of Canvas or Moodle."""
    table = _read_table(path)
    login = _find_login(table)
    names = table[login] if login else map(str.strip, read_text(path).splitlines())
    return list(filter(None, names))  # Canvas's row of maxima has none


def fill_gradebook(path: Path, marks: Marks) -> str:
    """A gradebook that Canvas or Moodle exported, with the points of each lab; the rest unchanged.

    The points go into the column with the lab's name, alone or as Canvas ("lab_01 (4711)") and
    Moodle ("Assignment: lab_01 (Real)") write it; else into a new one. If Canvas's line of possible
    points has another maximum, they are scaled to it.
    """
    table = _read_table(path)
    points = marks.by_lab("points")
    most = marks.by_lab("of").max()
    login = _find_login(table)
    if login is None:
        raise KitError(
            f"{path} is no gradebook of {' or '.join(LOGINS.values())}: it has no "
            f"column {' or '.join(map(repr, LOGINS))}."
        )
    absent = set(points.index) - set(table[login])
    if absent:
        raise KitError(
            f"{min(absent)} is not in the column {login!r} of {path}. Name the folders of "
            "students by it, as `kit course build --variants` does."
        )
    maxima = table.iloc[:, 0].str.strip() == "Points Possible"
    for lab in points:
        heading = re.compile(rf"(\w+: )?{lab}( \((\d+|Real)\))?")
        column = next((name for name in table.columns if heading.fullmatch(name)), lab)
        if column not in table:
            table[column] = maxima.map({True: f"{most[lab]:g}", False: ""})
        possible = pd.to_numeric(table.loc[maxima, column], errors="coerce").sum() or most[lab]
        scaled = table[login].map((points[lab] * possible / most[lab]).map("{:g}".format))
        table[column] = scaled.fillna(table[column])
    return str(table.to_csv(index=False))


def describe_marks(marks: Marks) -> str:
    """The marks for a terminal: a line per student, and the failed checks."""
    table: Any = marks.by_student().to_string(index=False)
    off = marks.exercises[marks.exercises["off"] != ""]
    off = off[off["by_hand"].isna()]
    lines = [table, ""]
    for row in off.itertuples():
        lines.append(f"{row.student} {row.exercise}: {row.points:g} of {row.of}: {row.off}")
    return "\n".join(lines)
