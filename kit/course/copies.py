"""Copies of the labs: students' without the solutions, the lecturer's with them, and notes."""

import ast
import csv
import hashlib
import json
import re
import shutil
from collections.abc import Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

from kit.course import LABS, answers, open_lab
from kit.errors import KitError
from kit.paths import NOTEBOOKS

HOME = NOTEBOOKS / "course"
NAME = re.compile(r"[^\W_][\w .,@'-]{0,63}")  # of a student: a folder's name
VARIANTS = 24  # a number that every lab's number of variants divides
TODO = "# TODO: your answer"
TO_EXPLAIN = "*TODO: your explanation, 80 to 150 words.*"
EXPLANATION = re.compile(r"### Explanation (\d+)\b.*\n")


def build(out: Path, *, students: Sequence[str] = (), seed: str = "") -> list[Path]:
    """OUT/students and OUT/lecturer with a copy of each lab; the files, in order.

    students: names; each then gets a folder of their own with a variant that `seed` decides, and
    OUT/lecturer/variants.csv says which. Raises KitError where OUT holds something already.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise KitError(f"{out} is there and not empty. Name a folder that is not there yet.")
    given = variants(students, seed)
    books = {lab: json.loads((HOME / f"{lab}.ipynb").read_text()) for lab in LABS}
    made = []
    for lab, book in books.items():
        made.append(_write(out / "lecturer" / f"{lab}.ipynb", book))
        made.append(_text(out / "lecturer" / f"{lab}_notes.md", page(lab)))
        student = without_solutions(book, lab)
        for name, variant in given.items() or [("", 0)]:
            place = out / "students" / name / f"{lab}.ipynb"
            made.append(_write(place, with_variant(student, variant)))
    for folder in ("lecturer", "students"):
        shutil.copy(HOME / "LICENSE", out / folder / "LICENSE")
    if given:
        rows = "".join(f"{name},{variant}\n" for name, variant in given.items())
        made.append(_text(out / "lecturer" / "variants.csv", f"student,variant\n{rows}"))
    return made


def variants(students: Sequence[str], seed: str) -> dict[str, int]:
    """Student -> variant: a number that only the seed tells, the same for the same names."""
    for name in students:
        if not NAME.fullmatch(name):
            raise KitError(
                f"{name!r} is no name of a folder. Use letters and digits, then also _ . @ , ' -."
            )
    if len(set(students)) < len(students):
        raise KitError("A student is named twice. Name each once.")
    digests = {s: hashlib.sha256(f"{seed} {s}".encode()).digest() for s in students}
    return {s: int.from_bytes(d[:4], "big") % VARIANTS for s, d in digests.items()}


def read_variants(path: Path) -> dict[str, int]:
    """The variants that `build` wrote; KitError with the line that cannot be read."""
    found = {}
    with path.open(newline="") as file:
        for number, row in enumerate(csv.DictReader(file), 2):
            student, variant = row.get("student"), row.get("variant") or ""
            if not student or not variant.isdecimal():
                raise KitError(
                    f"{path}, line {number}: give student,variant as `course build` does."
                )
            found[student] = int(variant)
    return found


def without_solutions(book: Mapping[str, Any], lab: str) -> dict[str, Any]:
    """The notebook with a stub in the place of every cell tagged solution."""
    names = {e.name for e in open_lab(lab).exercises}
    copy = deepcopy(dict(book))
    for cell in copy["cells"]:
        tags = cell["metadata"].get("tags", [])
        if "solution" in tags:
            text = answers.text_of(cell)
            bare = stub(text, names) if cell["cell_type"] == "code" else _unexplained(text)
            cell["source"] = bare.splitlines(keepends=True)
            cell["metadata"] = {"tags": ["answer"]}
    return copy


def stub(source: str, names: set[str]) -> str:
    """What a solution's cell leaves: its comments on top, imports, and what is to be defined.

    A function keeps its head and its docstring; everything else but the names is gone.
    """
    lines = source.splitlines()
    nodes = ast.parse(source).body
    kept = lines[: nodes[0].lineno - 1]
    for node in nodes:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            kept += lines[node.lineno - 1 : node.end_lineno]
        elif defined := names & answers.bound(node):
            kept += _head(node, lines) or [f"{name} = ...  {TODO}" for name in sorted(defined)]
    return "\n".join(kept) + "\n"


def _head(node: ast.stmt, lines: Sequence[str]) -> list[str]:
    if not isinstance(node, ast.FunctionDef):
        return []
    first = node.body[0]
    documented = ast.get_docstring(node) is not None
    end = first.end_lineno if documented else first.lineno - 1
    return ["", "", *lines[node.lineno - 1 : end], f"    ...  {TODO}"]


def _unexplained(text: str) -> str:
    found = EXPLANATION.match(text)
    return (found[0] if found else "") + f"\n{TO_EXPLAIN}\n"


def with_variant(book: Mapping[str, Any], variant: int) -> dict[str, Any]:
    """The notebook with this number in its parameters' cell."""
    copy = deepcopy(dict(book))
    for cell in copy["cells"]:
        if "parameters" in cell["metadata"].get("tags", []):
            line = re.sub(r"(?m)^variant: int = \d+", f"variant: int = {variant}",
                          answers.text_of(cell))  # fmt: skip
            cell["source"] = line.splitlines(keepends=True)
    return copy


def page(lab: str) -> str:
    """The lecturer's notes of a lab: written ones, and the marking scheme off its exercises."""
    rows = [
        f"| {e.id} | {e.title} | `{e.name}` | {e.points or 'practice'} |"
        for e in open_lab(lab).exercises
    ]
    total = sum(e.points for e in open_lab(lab).exercises)
    head = "| exercise | what is asked | defines | points |\n| --- | --- | --- | --- |\n"
    scheme = "\n".join(rows)
    text = (HOME / "notes" / f"{lab}.md").read_text(encoding="utf-8")
    return text.replace(
        "{{exercises}}", f"{head}{scheme}\n\nMarked by the sandbox: {total} points."
    )


def _write(path: Path, book: Mapping[str, Any]) -> Path:
    return _text(path, json.dumps(book, indent=1, ensure_ascii=False) + "\n")


def _text(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path
