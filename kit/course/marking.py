"""Builds copies of the labs without solutions for a class, and marks the returned notebooks.

Of a notebook only the cell with the answer runs, in the sandbox; its value is judged here. Nothing
that a notebook prints or shows counts.
"""

import ast
import csv
import hashlib
import hmac
import json
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from kit.course.exercise import (
    LABS,
    VARIANTS,
    Exercise,
    Found,
    Lab,
    Setting,
    bound,
    code_cells,
    earned,
    last_binding,
    open_lab,
    short,
    text_of,
)
from kit.course.gradebook import WEIGHTS, Marks, Weight, read_weights
from kit.errors import KitError
from kit.languages import syntax
from kit.paths import NOTEBOOKS, read_text
from kit.pool import pool
from kit.sandbox import Sandbox, open_sandbox

HOME = NOTEBOOKS / "course"
NAME = re.compile(r"[^\W_][\w .,@'+-]{0,63}")  # of a student: a folder's name
SHORTEST = 16  # characters of a secret: too many to try them all
TODO = "# TODO: your answer"
TO_EXPLAIN = "*TODO: your explanation, 80 to 150 words.*"
EXPLANATION = re.compile(r"### Explanation (\d+)\b.*\n")


def build(
    out: Path, *, students: Sequence[str] = (), seed: str = "", secret: str = ""
) -> list[Path]:
    """OUT/students and OUT/lecturer with a copy of each lab; the files, in order.

    students: names; each gets a folder with a variant drawn from `seed`, which is listed in
    OUT/lecturer/variants.csv. secret: seals the students' copies (see `sealed`). Raises KitError if
    OUT is not empty.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise KitError(f"{out} is there and not empty. Name a folder that is not there yet.")

    def as_json(book: Mapping[str, Any]) -> str:
        return json.dumps(book, indent=1, ensure_ascii=False) + "\n"

    by_student = variants(students, seed)
    books = {lab: json.loads((HOME / f"{lab}.ipynb").read_text()) for lab in LABS}
    paths = []
    for lab, book in books.items():
        paths.append(_text(out / "lecturer" / f"{lab}.ipynb", as_json(book)))
        paths.append(_text(out / "lecturer" / f"{lab}_notes.md", page(lab)))
        for name, number in by_student.items() or [("", 0)]:
            variant = sealed(number, secret, lab)
            student = without_solutions(book, lab, variant)
            paths.append(_text(out / "students" / name / f"{lab}.ipynb", as_json(student)))
    for folder in ("lecturer", "students"):
        shutil.copy(HOME / "LICENSE", out / folder / "LICENSE")
    shutil.copy(WEIGHTS, out / "lecturer" / WEIGHTS.name)
    if by_student:
        rows = "".join(f"{name},{variant}\n" for name, variant in by_student.items())
        paths.append(_text(out / "lecturer" / "variants.csv", f"student,variant\n{rows}"))
    return paths


def variants(students: Sequence[str], seed: str) -> dict[str, int]:
    """Student -> variant: a number that depends on the seed and the name alone."""
    for name in students:
        if not NAME.fullmatch(name):
            raise KitError(
                f"{name!r} is no name of a folder. Use letters and digits, then also _ . @ , ' + -."
            )
    if len(set(students)) < len(students):
        raise KitError("A student is named twice. Name each once.")
    digests = {s: hashlib.sha256(f"{seed} {s}".encode()).digest() for s in students}
    return {s: int.from_bytes(d[:4], "big") % VARIANTS for s, d in digests.items()}


def sealed(variant: int, secret: str, lab: str) -> int:
    """The variant of a lab's sealed copy: VARIANTS times HMAC(secret, lab), plus the student's.

    All differences of a sealed copy are drawn from this number. The copy contains the number, and
    not the secret. Without a secret the variant is unchanged.
    """
    digest = hmac.digest(secret.encode(), lab.encode(), "sha256")
    return variant + VARIANTS * (1 + int.from_bytes(digest[:5], "big")) if secret else variant


def read_secret(path: Path) -> str:
    """The lecturer's secret; KitError if the file holds none."""
    secret = read_text(path).strip()
    if len(secret) < SHORTEST:
        raise KitError(f"{path} holds no secret. Give a text of {SHORTEST} characters or more.")
    return secret


def read_variants(path: Path) -> dict[str, int]:
    """The variants that `build` wrote; KitError with the line that cannot be read."""
    by_student = {}
    for number, row in enumerate(csv.DictReader(read_text(path).splitlines()), 2):
        student, variant = row.get("student"), row.get("variant") or ""
        if not student or not variant.isdecimal():
            raise KitError(f"{path}, line {number}: give student,variant as `course build` does.")
        by_student[student] = int(variant)
    if not by_student:
        raise KitError(f"{path} names no student. Give the file that `kit course build` wrote.")
    return by_student


def without_solutions(book: Mapping[str, Any], lab: str, variant: int = 0) -> dict[str, Any]:
    """The notebook with its variant, and a stub instead of each cell tagged solution.

    The stub in a sealed copy says how the exercise differs, and so does the exercise's text.
    """
    exercises = open_lab(lab).exercises
    names = {e.name for e in exercises}
    copy = deepcopy(dict(book))
    for cell in copy["cells"]:
        tags = cell["metadata"].get("tags", [])
        if "solution" in tags:
            text = text_of(cell)
            head = EXPLANATION.match(text)
            bare = (
                stub(text, names)
                if cell["cell_type"] == "code"
                else (f"{head[0] if head else ''}\n{TO_EXPLAIN}\n")
            )
            changed = "".join(
                f"# {line}\n"
                for e in exercises
                if (line := e.changed(variant)) and last_binding([text], e.name)
            )
            cell["source"] = (changed + bare).splitlines(keepends=True)
            cell["metadata"] = {"tags": ["answer"]}
        elif cell["cell_type"] == "markdown":
            cell["source"] = _changed_text(text_of(cell), exercises, variant)
        if "parameters" in tags:
            line = re.sub(r"(?m)^variant: int = \d+", f"variant: int = {variant}", text_of(cell))
            cell["source"] = line.splitlines(keepends=True)
    return copy


def _changed_text(text: str, exercises: Sequence[Exercise], variant: int) -> list[str]:
    """The lines of a text; behind the exercise that it states, how this copy's differs."""
    for exercise in exercises:
        changed = exercise.changed(variant)
        if changed and f"**Exercise {exercise.id} " in text:
            text += f"\n\n**{changed}**"
    return text.splitlines(keepends=True)


def stub(source: str, names: set[str]) -> str:
    """What a solution's cell leaves: its comments on top, imports, and what is to be defined.

    A function keeps its head and its docstring; everything else but the names is gone.
    """
    lines = source.splitlines()
    nodes = syntax(source).body
    kept = lines[: nodes[0].lineno - 1]
    for node in nodes:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            kept += lines[node.lineno - 1 : node.end_lineno]
        elif defined := names & bound(node):
            if not isinstance(node, ast.FunctionDef):
                kept += [f"{name} = ...  {TODO}" for name in sorted(defined)]
                continue
            first = node.body[0]
            end = first.end_lineno if ast.get_docstring(node) is not None else first.lineno - 1
            kept += ["", "", *lines[node.lineno - 1 : end], f"    ...  {TODO}"]
    return "\n".join(kept) + "\n"


def page(lab: str) -> str:
    """The lecturer's notes of a lab: the written ones, and the marking scheme of its exercises."""
    exercises = open_lab(lab).exercises
    rows = [
        f"| {e.id} | {e.title} | `{e.name}` | {e.points or 'practice'} "
        f"| {e.seal.text if e.seal else 'nothing'} |"
        for e in exercises
    ]
    head = "| exercise | what is asked | defines | points | what a sealed copy changes |"
    scheme = "\n".join([head, "| --- " * 5 + "|", *rows])
    total = sum(e.points for e in exercises)
    copied, text = (
        (HOME / name).read_text(encoding="utf-8") for name in ("copied.md", f"notes/{lab}.md")
    )
    return text.replace(
        "{{exercises}}", f"{scheme}\n\nMarked by the sandbox: {total} points.\n\n{copied}"
    )


def _text(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


MOST_MB = 8  # of a notebook
FORMULA = ("=", "+", "-", "@")  # a spreadsheet reads a text that begins so as a formula
COLUMNS = ["student", "lab", "exercise", "points", "by_hand", "of", "off"]
ABSENT = "not handed in"
EXPLAINED = re.compile(r"\*\*Exercise ([\d.]+) \((\d+) points, marked by hand\)")
TEXTS = ["student", "lab", "explanation", "words", "text"]
UNREAD = Found(False, "to be marked by hand", needed=True)


@dataclass(frozen=True)
class Copy:
    """A student's copy of a lab. problem: why it cannot be read; it then earns nothing."""

    student: str
    lab: str
    book: Mapping[str, Any]
    problem: str = ""


Item = tuple[Copy, Exercise]


def mark(
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
    secret: the secret that sealed the copies. variants: of each student, as `build` wrote them; by
    default 0 for all. only: the labs that were set; by default those that somebody handed in.
    by_hand: marks by (student, "lab exercise"), as `read_by_hand` returns them.
    weights: the table lab,weight,due.
    Raises KitError if there is nothing to mark, a student has no variant, or a mark by hand belongs
    to no marked exercise.
    """
    labs = [open_lab(name) for name in only or LABS]
    copies = list(_copies(folder, labs))
    there = {c.lab for c in copies if only or c.problem != ABSENT}
    copies = [c for c in copies if c.lab in there]
    unread = _unread(folder)
    if not copies:
        other = f" {unread[0]} is no such name; rename it." if unread else ""
        place = f"No lab was handed in below {folder}. It holds <student>/<lab>.ipynb."
        raise KitError(place + other)
    if unknown := sorted({c.student for c in copies} - set(variants or {})) if variants else []:
        raise KitError(f"{unknown[0]} has no variant. Give the file that `kit course build` wrote.")
    table = read_weights(weights, sorted(there))
    marked = {}  # what earns points: exercises, then the explanation, which a person has to mark
    for lab in there:
        asked = EXPLAINED.findall((HOME / f"{lab}.ipynb").read_text(encoding="utf-8"))
        marked[lab] = [e for e in open_lab(lab).exercises if e.points] + [
            Exercise(id, "", "An explanation", int(points), lambda *_: [UNREAD])
            for id, points in asked
        ]
    items = [(copy, exercise) for copy in copies for exercise in marked[copy.lab]]
    _refuse(by_hand or {}, items)
    with open_sandbox("bwrap") as box:

        def work(number: int) -> tuple[Any, ...]:
            copy, exercise = items[number]
            variant = sealed((variants or {}).get(copy.student, 0), secret, copy.lab)
            points, off = _points(box, f"{seed} {copy.student}", variant, copy, exercise)
            hand = (by_hand or {}).get((copy.student, f"{copy.lab} {exercise.id}"))
            return copy.student, copy.lab, exercise.id, points, hand, exercise.points, off

        rows = sorted(pool(work, range(len(items)), workers=workers, title="marking"))
    exercises = pd.DataFrame([r for _, r in rows], columns=COLUMNS).astype({"by_hand": float})
    texts = [row for copy in copies for row in _explanations(copy)]
    late = _late(folder, copies, table)
    return Marks(exercises, pd.DataFrame(texts, columns=TEXTS), table, late, unread)


def _late(
    folder: Path, copies: Sequence[Copy], weights: Mapping[str, Weight]
) -> dict[str, list[str]]:
    """Per student the labs whose file is younger than the lab's date."""
    late: dict[str, list[str]] = {}
    for copy in copies:
        due, path = weights[copy.lab].due, folder / copy.student / f"{copy.lab}.ipynb"
        if due and copy.problem != ABSENT and path.stat().st_mtime > due.timestamp():
            late.setdefault(copy.student, []).append(copy.lab)
    return late


def _refuse(by_hand: Mapping[tuple[str, str], float], items: Sequence[Item]) -> None:
    """KitError for a mark by hand that would get lost, or that exceeds the exercise's points."""
    most = {(copy.student, f"{copy.lab} {e.id}"): e.points for copy, e in items}
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


def _copies(folder: Path, labs: Sequence[Lab]) -> Iterator[Copy]:
    there = folder.iterdir() if folder.is_dir() else []
    students = sorted(p for p in there if not p.name.startswith(".") and p.is_dir())
    if not students:
        raise KitError(f"No student's folder is in {folder}. It holds <student>/<lab>.ipynb.")
    if misnamed := [p.name for p in students if p.is_symlink() or not NAME.fullmatch(p.name)]:
        raise KitError(f"{misnamed[0]!r} is no student's folder: it is a link, or its name is odd.")
    for student in students:
        for lab in labs:
            yield _read(student, lab.name)


def _unread(folder: Path) -> list[str]:
    """The notebooks in students' folders that no lab is read from."""
    paths = [path.relative_to(folder) for path in sorted(folder.glob("*/**/*.ipynb"))]
    labs = {f"{lab}.ipynb" for lab in LABS}
    return [
        str(path)
        for path in paths
        if not (len(path.parts) == 2 and path.name in labs)
        and not any(part.startswith(".") for part in path.parts)
    ]


def _read(student: Path, lab: str) -> Copy:
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


def _points(
    box: Sandbox, seed: str, variant: int, copy: Copy, exercise: Exercise
) -> tuple[float, str]:
    """Points and a remark; NaN and the error for an exercise that could not be run."""
    points, off = 0.0, copy.problem
    if not copy.problem:
        cells = list(code_cells(copy.book))
        code = last_binding(cells, exercise.name) if exercise.name else ""
        setting = Setting(box, variant, seed)
        try:
            remarks = exercise.found(code, setting)
            points = earned(remarks, exercise.points)
            wrong = [f.text for f in remarks if not f.ok]
            more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
            off = f"{short(wrong[0], 240)}{more}" if wrong else ""
        except Exception as error:  # one copy must not stop the marking of the others
            points, off = float("nan"), short(f"not marked: {type(error).__name__}: {error}", 240)
    return points, off


def _explanations(copy: Copy) -> Iterator[tuple[str, str, str, int, str]]:
    """The text below each heading `### Explanation N`, for a person to mark."""
    for cell in copy.book.get("cells", []):
        if not isinstance(cell, dict) or cell.get("cell_type") != "markdown":
            continue
        text = text_of(cell)
        if heading := EXPLANATION.match(text):
            essay = text[heading.end() :].replace(TO_EXPLAIN, "").strip()
            essay = f" {essay}" if essay.startswith(FORMULA) else essay
            yield copy.student, copy.lab, heading[1], len(essay.split()), essay
