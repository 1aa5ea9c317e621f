"""Marks for a folder of students' copies: their cells run in the sandbox, verdicts are made here.

Nothing that a notebook prints or shows counts, and no cell of it runs but the one with the answer.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from kit.course import LABS, Lab, answers, open_lab
from kit.course.copies import EXPLANATION, NAME, TO_EXPLAIN
from kit.course.exercise import Exercise, Setting, earned, short
from kit.errors import KitError
from kit.pool import pool
from kit.sandbox import Sandbox, open_sandbox

MOST_MB = 8  # of a notebook
FORMULA = ("=", "+", "-", "@")  # with which a spreadsheet would begin to compute
COLUMNS = ["student", "lab", "exercise", "points", "of", "off"]
TEXTS = ["student", "lab", "explanation", "words", "text"]


@dataclass(frozen=True)
class Copy:
    """A student's copy of a lab. problem: why it cannot be read, then nothing in it counts."""

    student: str
    lab: str
    book: Mapping[str, Any]
    problem: str = ""


@dataclass(frozen=True)
class Marks:
    """exercises: a row a student and marked exercise; explanations: what is left to read."""

    exercises: pd.DataFrame
    explanations: pd.DataFrame

    def by_student(self) -> pd.DataFrame:
        """One row a student: points in every lab, their sum, of how many, explanations written.

        A lab that was not handed in earns 0 and is in `of`; an exercise that our own sandbox could
        not run has no points, and neither has its lab's sum.
        """
        labs = list(dict.fromkeys(self.exercises["lab"]))
        by = self.exercises.groupby(["student", "lab"], sort=True)
        sums = by["points"].agg(lambda c: c.sum(skipna=False)).unstack()[labs]
        written = self.explanations[self.explanations["words"] > 0].groupby("student").size()
        of = self.exercises.groupby("student")["of"].sum()
        whole = sums.sum(axis=1, skipna=False)
        told = sums.assign(
            total=whole, of=of, explanations=written.reindex(sums.index, fill_value=0)
        )
        return told.reset_index()


def mark(
    folder: Path,
    *,
    seed: str,
    variants: Mapping[str, int] | None = None,
    only: Sequence[str] = (),
    workers: int = 2,
) -> Marks:
    """FOLDER/<student>/<lab>.ipynb marked; every student has a row for every marked exercise.

    seed: decides what is drawn for the marks; keep it from students, and for the record.
    variants: of each student, as `copies.build` gave them; without, 0 for all.
    Raises KitError where there is nothing to mark, or a student has no variant.
    """
    labs = [open_lab(name) for name in only or LABS]
    copies = list(_copies(folder, labs))
    if unknown := sorted({c.student for c in copies} - set(variants or {})) if variants else []:
        raise KitError(f"{unknown[0]} has no variant. Give the file that `kit course build` wrote.")
    items = [(copy, exercise) for copy in copies for exercise in _marked(copy.lab)]
    with open_sandbox("bwrap") as box:
        work = partial(_row, box, seed, variants or {})
        made = pool(lambda item: work(*item[1]), enumerate(items), workers=workers, title="marking")
        rows = [
            row for _, row in sorted(((n, row) for (n, _), row in made), key=lambda pair: pair[0])
        ]
    texts = [row for copy in copies for row in _explanations(copy)]
    return Marks(pd.DataFrame(rows, columns=COLUMNS), pd.DataFrame(texts, columns=TEXTS))


def _marked(lab: str) -> list[Exercise]:
    return [e for e in open_lab(lab).exercises if e.points]


def _copies(folder: Path, labs: Sequence[Lab]) -> Iterator[Copy]:
    there = folder.iterdir() if folder.is_dir() else []
    students = sorted(p for p in there if not p.name.startswith(".") and p.is_dir())
    if not students:
        raise KitError(f"No student's folder is in {folder}. It holds <student>/<lab>.ipynb.")
    if odd := [p.name for p in students if p.is_symlink() or not NAME.fullmatch(p.name)]:
        raise KitError(f"{odd[0]!r} is no student's folder: it is a link, or its name is odd.")
    for student in students:
        for lab in labs:
            yield _read(student, lab.name)


def _read(student: Path, lab: str) -> Copy:
    path = student / f"{lab}.ipynb"
    empty = partial(Copy, student.name, lab, {})
    if path.is_symlink() or not path.is_file():
        return empty("not handed in")
    if path.stat().st_size > MOST_MB << 20:
        return empty(f"the notebook is larger than {MOST_MB} MB")
    try:
        book = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        return empty("the file is no notebook")
    if not isinstance(book, dict) or not isinstance(book.get("cells"), list):
        return empty("the file is no notebook")
    return Copy(student.name, lab, book)


def _row(
    box: Sandbox, seed: str, variants: Mapping[str, int], copy: Copy, exercise: Exercise
) -> tuple[str, str, str, float, int, str]:
    """One mark; an exercise that our own sandbox could not run has none, and says so."""
    points, off = 0.0, copy.problem
    if not copy.problem:
        code = answers.last_binding(list(answers.code_cells(copy.book)), exercise.name)
        setting = Setting(box, variants.get(copy.student, 0), f"{seed} {copy.student}")
        try:
            found = exercise.found(code, setting)
            points = earned(found, exercise.points)
            wrong = [f.text for f in found if not f.ok]
            more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
            off = f"{short(wrong[0], 240)}{more}" if wrong else ""
        except Exception as error:  # one copy must not end a class; it is shown and not scored
            points, off = float("nan"), short(f"not marked: {type(error).__name__}: {error}", 240)
    return copy.student, copy.lab, exercise.id, points, exercise.points, off


def _explanations(copy: Copy) -> Iterator[tuple[str, str, str, int, str]]:
    """What is written below every heading `### Explanation N`, for a person to mark."""
    for cell in copy.book.get("cells", []):
        if not isinstance(cell, dict) or cell.get("cell_type") != "markdown":
            continue
        text = answers.text_of(cell)
        if found := EXPLANATION.match(text):
            said = text[found.end() :].replace(TO_EXPLAIN, "").strip()
            said = f" {said}" if said.startswith(FORMULA) else said
            yield copy.student, copy.lab, found[1], len(said.split()), said


def text(marks: Marks) -> str:
    """The marks for a terminal: a line a student, and what was off."""
    table = marks.by_student().to_string(index=False)
    off = marks.exercises[marks.exercises["off"] != ""]
    lines = [f"{r.student} {r.exercise}: {r.points:g} of {r.of}: {r.off}" for r in off.itertuples()]
    return "\n".join([table, "", *lines])
