"""Copies of the labs: students' without the solutions, the lecturer's with them, and notes."""

import ast
import csv
import hashlib
import hmac
import json
import re
import shutil
from collections.abc import Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

from kit.course import answers
from kit.course.exercise import LABS, VARIANTS, open_lab
from kit.errors import KitError
from kit.languages import syntax
from kit.paths import NOTEBOOKS, read_text

HOME = NOTEBOOKS / "course"
NAME = re.compile(r"[^\W_][\w .,@'-]{0,63}")  # of a student: a folder's name
SHORTEST = 16  # characters of a secret: nobody tries them all
TODO = "# TODO: your answer"
TO_EXPLAIN = "*TODO: your explanation, 80 to 150 words.*"
EXPLANATION = re.compile(r"### Explanation (\d+)\b.*\n")


def build(
    out: Path, *, students: Sequence[str] = (), seed: str = "", secret: str = ""
) -> list[Path]:
    """OUT/students and OUT/lecturer with a copy of each lab; the files, in order.

    students: names; each then gets a folder of their own with a variant that `seed` decides, and
    OUT/lecturer/variants.csv says which. secret: seals the students' copies (see `sealed`).
    Raises KitError where OUT holds something already.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise KitError(f"{out} is there and not empty. Name a folder that is not there yet.")
    given = variants(students, seed)
    books = {lab: json.loads((HOME / f"{lab}.ipynb").read_text()) for lab in LABS}
    made = []
    for lab, book in books.items():
        made.append(_write(out / "lecturer" / f"{lab}.ipynb", book))
        made.append(_text(out / "lecturer" / f"{lab}_notes.md", page(lab)))
        for name, number in given.items() or [("", 0)]:
            variant = sealed(number, secret, lab)
            student = with_variant(without_solutions(book, lab, variant), variant)
            made.append(_write(out / "students" / name / f"{lab}.ipynb", student))
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


def sealed(variant: int, secret: str, lab: str) -> int:
    """The variant of a lab's sealed copy: HMAC(secret, lab) above the student's own number.

    Everything that a sealed copy asks in its own way is drawn from this number, which stands in the
    copy; the secret does not. Without a secret the variant is as it was.
    """
    digest = hmac.digest(secret.encode(), lab.encode(), "sha256")
    return variant + VARIANTS * (1 + int.from_bytes(digest[:5], "big")) if secret else variant


def read_secret(path: Path) -> str:
    """The lecturer's secret; KitError where the file holds none."""
    secret = read_text(path).strip()
    if len(secret) < SHORTEST:
        raise KitError(f"{path} holds no secret. Give a text of {SHORTEST} characters or more.")
    return secret


def read_variants(path: Path) -> dict[str, int]:
    """The variants that `build` wrote; KitError with the line that cannot be read."""
    found = {}
    for number, row in enumerate(csv.DictReader(read_text(path).splitlines()), 2):
        student, variant = row.get("student"), row.get("variant") or ""
        if not student or not variant.isdecimal():
            raise KitError(f"{path}, line {number}: give student,variant as `course build` does.")
        found[student] = int(variant)
    if not found:
        raise KitError(f"{path} names no student. Give the file that `kit course build` wrote.")
    return found


def without_solutions(book: Mapping[str, Any], lab: str, variant: int = 0) -> dict[str, Any]:
    """The notebook with a stub in the place of every cell tagged solution.

    The stub of a sealed copy says what is different in it.
    """
    exercises = open_lab(lab).exercises
    names = {e.name for e in exercises}
    copy = deepcopy(dict(book))
    for cell in copy["cells"]:
        tags = cell["metadata"].get("tags", [])
        if "solution" in tags:
            text = answers.text_of(cell)
            head = EXPLANATION.match(text)
            bare = stub(text, names) if cell["cell_type"] == "code" else (
                f"{head[0] if head else ''}\n{TO_EXPLAIN}\n"
            )  # fmt: skip
            changed = "".join(f"# {line}\n" for e in exercises if (line := e.changed(variant))
                              and answers.last_binding([text], e.name))  # fmt: skip
            cell["source"] = (changed + bare).splitlines(keepends=True)
            cell["metadata"] = {"tags": ["answer"]}
    return copy


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
        elif defined := names & answers.bound(node):
            if not isinstance(node, ast.FunctionDef):
                kept += [f"{name} = ...  {TODO}" for name in sorted(defined)]
                continue
            first = node.body[0]
            end = first.end_lineno if ast.get_docstring(node) is not None else first.lineno - 1
            kept += ["", "", *lines[node.lineno - 1 : end], f"    ...  {TODO}"]
    return "\n".join(kept) + "\n"


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


def _write(path: Path, book: Mapping[str, Any]) -> Path:
    return _text(path, json.dumps(book, indent=1, ensure_ascii=False) + "\n")


def _text(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path
