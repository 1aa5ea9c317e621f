"""Builds copies of the labs without solutions for a class, and marks the returned notebooks.

Of a notebook only the cell with the answer runs, in the sandbox; its value is judged here. Nothing
that a notebook prints or shows counts.
"""

import ast
import hashlib
import hmac
import json
import math
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import pandas as pd

from kit.core.errors import KitError
from kit.core.languages import parse_python
from kit.core.paths import NOTEBOOKS, read_text
from kit.course.exercise import (
    LABS,
    VARIANTS,
    Exercise,
    Remark,
    Setting,
    code_cells,
    count_points,
    cut_text,
    find_bound_names,
    find_last_binding,
    open_lab,
    text_of,
)
from kit.course.gradebook import WEIGHTS, Marks, Weight, read_rows, read_weights
from kit.run.pool import run_in_pool
from kit.sandbox import Sandbox, open_sandbox

HOME = NOTEBOOKS / "course"
NAME = re.compile(r"[^\W_][\w .,@'+-]{0,63}")  # of a student: a folder's name
SHORTEST = 16  # characters of a secret: too many to try them all
TODO = "# TODO: your answer"
TO_EXPLAIN = "*TODO: your explanation, 80 to 150 words.*"
EXPLANATION = re.compile(r"### Explanation (\d+)\b.*\n")
MOST_MB = 8  # of a notebook
FORMULA = ("=", "+", "-", "@")  # a spreadsheet reads a text that begins so as a formula
COLUMNS = ["student", "lab", "exercise", "points", "by_hand", "of", "off"]
ABSENT = "not handed in"
EXPLAINED = re.compile(r"\*\*Exercise ([\d.]+) \((\d+) points, marked by hand\)")
TEXTS = ["student", "lab", "explanation", "words", "text"]
UNREAD = Remark(False, "to be marked by hand", needed=True)


def build_copies(
    out: Path, *, students: Sequence[str] = (), seed: str = "", secret: str = ""
) -> list[Path]:
    """OUT/students and OUT/lecturer with a copy of each lab; the files, in order.

    students: names; each gets a folder with a variant drawn from `seed`, which is listed in
    OUT/lecturer/variants.csv. secret: seals the students' copies (see `seal_variant`). Raises
    KitError if OUT is not empty.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise KitError(f"{out} is there and not empty. Name a folder that is not there yet.")
    by_student = draw_variants(students, seed)
    lecturer = out / "lecturer"
    paths = []
    for lab in LABS:
        book = json.loads((HOME / f"{lab}.ipynb").read_text())
        paths.append(_write_book(lecturer / f"{lab}.ipynb", book))
        paths.append(_write_text(lecturer / f"{lab}_notes.md", make_notes(lab)))
        for name, number in by_student.items() or [("", 0)]:
            copy = remove_solutions(book, lab, seal_variant(number, secret, lab))
            paths.append(_write_book(out / "students" / name / f"{lab}.ipynb", copy))
    for folder in (lecturer, out / "students"):
        shutil.copy(HOME / "LICENSE", folder / "LICENSE")
    shutil.copy(WEIGHTS, lecturer / WEIGHTS.name)
    if by_student:
        table = "student,variant\n"
        for name, variant in by_student.items():
            table += f"{name},{variant}\n"
        paths.append(_write_text(lecturer / "variants.csv", table))
    return paths


def draw_variants(students: Sequence[str], seed: str) -> dict[str, int]:
    """Student -> variant: a number that depends on the seed and the name alone."""
    by_student: dict[str, int] = {}
    for name in students:
        if not NAME.fullmatch(name):
            raise KitError(
                f"{name!r} is no name of a folder. Use letters and digits, then also _ . @ , ' + -."
            )
        if name in by_student:
            raise KitError("A student is named twice. Name each once.")
        digest = hashlib.sha256(f"{seed} {name}".encode()).digest()
        by_student[name] = int.from_bytes(digest[:4], "big") % VARIANTS
    return by_student


def seal_variant(variant: int, secret: str, lab: str) -> int:
    """The variant of a lab's sealed copy: VARIANTS times HMAC(secret, lab), plus the student's.

    All differences of a sealed copy are drawn from this number. The copy contains the number, and
    not the secret. Without a secret the variant is unchanged.
    """
    if not secret:
        return variant
    digest = hmac.digest(secret.encode(), lab.encode(), "sha256")
    return variant + VARIANTS * (1 + int.from_bytes(digest[:5], "big"))


def read_secret(path: Path) -> str:
    """The lecturer's secret; KitError if the file holds none."""
    secret = read_text(path).strip()
    if len(secret) < SHORTEST:
        raise KitError(f"{path} holds no secret. Give a text of {SHORTEST} characters or more.")
    return secret


def read_variants(path: Path) -> dict[str, int]:
    """The variants that `build_copies` wrote; KitError with the line that cannot be read."""
    by_student = {}
    for number, row in read_rows(path):
        student = row.get("student")
        variant = row.get("variant") or ""
        if not student or not variant.isdecimal():
            raise KitError(f"{path}, line {number}: give student,variant as `course build` does.")
        by_student[student] = int(variant)
    if not by_student:
        raise KitError(f"{path} names no student. Give the file that `kit course build` wrote.")
    return by_student


def remove_solutions(book: Mapping[str, Any], lab: str, variant: int = 0) -> dict[str, Any]:
    """The notebook with its variant, and a stub instead of each cell tagged solution.

    The stub in a sealed copy says how the exercise differs, and so does the exercise's text.
    """
    exercises = open_lab(lab).exercises
    copy = deepcopy(dict(book))
    for cell in copy["cells"]:
        tags = cell["metadata"].get("tags", [])
        text = text_of(cell)
        is_text = cell["cell_type"] == "markdown"
        if "solution" in tags:
            text = _blank_explanation(text) if is_text else _blank_code(text, exercises, variant)
            cell["metadata"] = {"tags": ["answer"]}
        elif is_text:
            text = _add_changes(text, exercises, variant)
        elif "parameters" in tags:
            text = re.sub(r"(?m)^variant: int = \d+", f"variant: int = {variant}", text)
        cell["source"] = text.splitlines(keepends=True)
    return copy


def _blank_explanation(text: str) -> str:
    match = EXPLANATION.match(text)
    heading = match[0] if match else ""
    return f"{heading}\n{TO_EXPLAIN}\n"


def _blank_code(source: str, exercises: Sequence[Exercise], variant: int) -> str:
    """How this copy's exercises of a solution's cell differ, and the stub of the cell."""
    lines = []
    for exercise in exercises:
        change = exercise.describe_change(variant)
        if change and find_last_binding([source], exercise.name):
            lines.append(f"# {change}\n")
    return "".join(lines) + make_stub(source, {exercise.name for exercise in exercises})


def _add_changes(text: str, exercises: Sequence[Exercise], variant: int) -> str:
    """A text; behind the exercise that it states, how this copy's differs."""
    for exercise in exercises:
        change = exercise.describe_change(variant)
        if change and f"**Exercise {exercise.id} " in text:
            text += f"\n\n**{change}**"
    return text


def make_stub(source: str, names: set[str]) -> str:
    """What a solution's cell leaves: its comments on top, imports, and what is to be defined.

    A function keeps its head and its docstring; everything else but the names is gone.
    """
    lines = source.splitlines()
    nodes = parse_python(source).body
    stub = lines[: nodes[0].lineno - 1]
    for node in nodes:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            stub += lines[node.lineno - 1 : node.end_lineno]
            continue
        defined = names & find_bound_names(node)
        if defined and isinstance(node, ast.FunctionDef):
            first = node.body[0]
            end = first.end_lineno if ast.get_docstring(node) is not None else first.lineno - 1
            stub += ["", "", *lines[node.lineno - 1 : end], f"    ...  {TODO}"]
        else:
            stub += [f"{name} = ...  {TODO}" for name in sorted(defined)]
    return "\n".join(stub) + "\n"


def make_notes(lab: str) -> str:
    """The lecturer's notes of a lab: the written ones, and the marking scheme of its exercises."""
    exercises = open_lab(lab).exercises
    scheme = ["| exercise | what is asked | defines | points | what a sealed copy changes |"]
    scheme.append("| --- " * 5 + "|")
    total = 0
    for exercise in exercises:
        total += exercise.points
        points = exercise.points or "practice"
        change = exercise.seal.text if exercise.seal else "nothing"
        cells = (exercise.id, exercise.title, f"`{exercise.name}`", points, change)
        scheme.append(f"| {' | '.join(map(str, cells))} |")
    scheme += ["", f"Marked by the sandbox: {total} points.", "", read_text(HOME / "copied.md")]
    notes = read_text(HOME / "notes" / f"{lab}.md")
    return notes.replace("{{exercises}}", "\n".join(scheme))


def _write_book(path: Path, book: Mapping[str, Any]) -> Path:
    return _write_text(path, json.dumps(book, indent=1, ensure_ascii=False) + "\n")


def _write_text(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@dataclass(frozen=True)
class Copy:
    """A student's copy of a lab. problem: why it cannot be read; it then earns nothing."""

    student: str
    lab: str
    book: Mapping[str, Any]
    problem: str = ""


@dataclass(frozen=True)
class Piece:
    """An exercise of a student's copy, which earns points."""

    copy: Copy
    exercise: Exercise

    @property
    def hand_key(self) -> tuple[str, str]:
        """The student and the "lab exercise" of a mark by hand."""
        return self.copy.student, f"{self.copy.lab} {self.exercise.id}"


@dataclass(frozen=True)
class Marker:
    """Marks items in a sandbox. variants: the number in each student's copy of each lab."""

    box: Sandbox
    seed: str
    secret: str
    variants: Mapping[str, int]
    by_hand: Mapping[tuple[str, str], float]

    def mark_item(self, item: Piece) -> tuple[Any, ...]:
        """An item's COLUMNS; its points are NaN if it could not be run."""
        copy = item.copy
        exercise = item.exercise
        points = 0.0
        off = copy.problem
        if not off:
            try:
                results = self._check_answer(copy, exercise)
                points = count_points(results, exercise.points)
                off = _describe_failures(results)
            except Exception as error:  # one copy must not stop the marking of the others
                points = math.nan
                off = cut_text(f"not marked: {type(error).__name__}: {error}", 240)
        hand = self.by_hand.get(item.hand_key)
        return copy.student, copy.lab, exercise.id, points, hand, exercise.points, off

    def _check_answer(self, copy: Copy, exercise: Exercise) -> list[Remark]:
        variant = seal_variant(self.variants.get(copy.student, 0), self.secret, copy.lab)
        setting = Setting(self.box, variant, f"{self.seed} {copy.student}")
        code: str | None = ""  # of an explanation, which no cell defines
        if exercise.name:
            code = find_last_binding(list(code_cells(copy.book)), exercise.name)
        return exercise.check_answer(code, setting)


def _describe_failures(results: Sequence[Remark]) -> str:
    failures = [result for result in results if not result.ok]
    if not failures:
        return ""
    first = cut_text(failures[0].text, 240)
    rest = len(failures) - 1
    return f"{first} (and {rest} more)" if rest else first


def mark_class(
    folder: Path,
    *,
    seed: str,
    secret: str = "",
    variants: Mapping[str, int] | None = None,
    only: Sequence[str] = (),
    by_hand: Mapping[tuple[str, str], float] | None = None,
    weights: Path = WEIGHTS,
    workers: int = 2,
) -> Marks:
    """The marks of FOLDER/<student>/<lab>.ipynb, with a row per student and marked exercise.

    seed: the cases for the marks are drawn from it; keep it secret, and keep it for the record.
    secret: the secret that sealed the copies. variants: of each student, as `build_copies` wrote
    them; by default 0 for all. only: the labs that were set; by default those that somebody handed
    in. by_hand: marks by (student, "lab exercise"), as `read_by_hand` returns them.
    weights: the table lab,weight,due.
    Raises KitError if there is nothing to mark, a student has no variant, or a mark by hand belongs
    to no marked exercise.
    """
    copies = read_copies(folder, [open_lab(name).name for name in only or LABS])
    labs = set(only)
    if not only:
        labs = {copy.lab for copy in copies if copy.problem != ABSENT}
        copies = [copy for copy in copies if copy.lab in labs]
    unread = _find_unread(folder)
    if not copies:
        mend = f" {unread[0]} is no such name; rename it." if unread else ""
        place = f"No lab was handed in below {folder}. It holds <student>/<lab>.ipynb."
        raise KitError(place + mend)
    students = {copy.student for copy in copies}
    if variants and not students <= variants.keys():
        unknown = min(students - variants.keys())
        raise KitError(f"{unknown} has no variant. Give the file that `kit course build` wrote.")
    table = read_weights(weights, sorted(labs))
    exercises_of_lab = {lab: list_marked_exercises(lab) for lab in labs}
    items = []
    for copy in copies:
        items += [Piece(copy, exercise) for exercise in exercises_of_lab[copy.lab]]
    _check_by_hand(by_hand or {}, items)
    with open_sandbox("bwrap") as box:
        marker = Marker(box, seed, secret, variants or {}, by_hand or {})

        def mark_item(number: int) -> tuple[Any, ...]:
            return marker.mark_item(items[number])

        marks = dict(run_in_pool(mark_item, range(len(items)), workers=workers, title="marking"))
    rows = [marks[number] for number in sorted(marks)]
    exercises = pd.DataFrame(rows, columns=COLUMNS).astype({"by_hand": float})
    explanations = pd.DataFrame(chain.from_iterable(map(_list_explanations, copies)), columns=TEXTS)
    return Marks(exercises, explanations, table, _find_late(folder, copies, table), unread)


def list_marked_exercises(lab: str) -> list[Exercise]:
    """What earns points: exercises, then the explanation, which a person has to mark."""
    marked = [exercise for exercise in open_lab(lab).exercises if exercise.points]
    for id, points in EXPLAINED.findall(read_text(HOME / f"{lab}.ipynb")):
        marked.append(Exercise(id, "", "An explanation", int(points), lambda *_: [UNREAD]))
    return marked


def _find_late(
    folder: Path, copies: Sequence[Copy], weights: Mapping[str, Weight]
) -> dict[str, list[str]]:
    """Per student the labs whose file is younger than the lab's date."""
    late: dict[str, list[str]] = {}
    for copy in copies:
        due = weights[copy.lab].due
        path = folder / copy.student / f"{copy.lab}.ipynb"
        if due and copy.problem != ABSENT and path.stat().st_mtime > due.timestamp():
            late.setdefault(copy.student, []).append(copy.lab)
    return late


def _check_by_hand(by_hand: Mapping[tuple[str, str], float], items: Sequence[Piece]) -> None:
    """KitError for a mark by hand that would get lost, or that exceeds the exercise's points."""
    most = {item.hand_key: item.exercise.points for item in items}
    for (student, name), mark in by_hand.items():
        if (student, name) not in most:
            raise KitError(
                f"{student} has a mark by hand for {name}, which is not marked here: it would get "
                "lost. Write to another file, or name all labs with --only."
            )
        if not 0 <= mark <= most[student, name]:
            raise KitError(
                f"{student} has {mark:g} by hand for {name}. Give 0 to {most[student, name]}."
            )


def read_copies(folder: Path, labs: Sequence[str]) -> list[Copy]:
    """Each student's copy of each lab; KitError where there is no student's folder."""
    copies = []
    for student in sorted(folder.glob("[!.]*/")):
        if student.is_symlink() or not NAME.fullmatch(student.name):
            raise KitError(
                f"{student.name!r} is no student's folder: it is a link, or its name is odd."
            )
        copies += [_read_copy(student, lab) for lab in labs]
    if not copies:
        raise KitError(f"No student's folder is in {folder}. It holds <student>/<lab>.ipynb.")
    return copies


def _find_unread(folder: Path) -> list[str]:
    """The notebooks in students' folders that no lab is read from."""
    unread = []
    for path in sorted(folder.glob("*/**/*.ipynb")):
        parts = path.relative_to(folder).parts
        is_lab = len(parts) == 2 and path.stem in LABS
        is_hidden = any(part.startswith(".") for part in parts)
        if not is_lab and not is_hidden:
            unread.append("/".join(parts))
    return unread


def _read_copy(student: Path, lab: str) -> Copy:
    path = student / f"{lab}.ipynb"
    empty = partial(Copy, student.name, lab, {})
    if path.is_symlink() or not path.is_file():
        return empty(ABSENT)
    if path.stat().st_size > MOST_MB << 20:
        return empty(f"the notebook is larger than {MOST_MB} MB")
    with suppress(ValueError, RecursionError):
        book = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(book, dict) and isinstance(book.get("cells"), list):
            return Copy(student.name, lab, book)
    return empty("the file is no notebook")


def _list_explanations(copy: Copy) -> Iterator[tuple[str, str, str, int, str]]:
    """The TEXTS below each heading `### Explanation N`, for a person to mark."""
    for cell in copy.book.get("cells", []):
        if not isinstance(cell, dict) or cell.get("cell_type") != "markdown":
            continue
        text = text_of(cell)
        match = EXPLANATION.match(text)
        if match:
            essay = text[match.end() :].replace(TO_EXPLAIN, "").strip()
            if essay.startswith(FORMULA):
                essay = f" {essay}"
            yield copy.student, copy.lab, match[1], len(essay.split()), essay
