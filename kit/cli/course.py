"""The commands of the course: copies of the labs for a class, and marks for what comes back."""

import json
import secrets
from pathlib import Path

import click

from kit.cli.options import as_json, emit, main, workers_option
from kit.errors import KitError

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
seed_option = click.option("--seed", default="", help="A secret text; drawn where none is given.")


@main.group()
def course() -> None:
    """Six labs and a capstone for a class: build copies, check what students hand in."""


@course.command()
@click.argument("out", type=click.Path(path_type=Path))
@click.option("--variants", "names", type=FILE,
              help="Names of students, a line each: everybody gets a folder and a variant.",
)  # fmt: skip
@seed_option
@as_json
def build(out: Path, names: Path | None, seed: str, as_json: bool) -> None:
    """Write OUT/students (without solutions) and OUT/lecturer (with them, and notes)."""
    from kit.course import copies

    students = [s.strip() for s in names.read_text().splitlines() if s.strip()] if names else []
    made = copies.build(out, students=students, seed=seed or secrets.token_hex(8))
    told = f" --variants {out}/lecturer/variants.csv" if names else ""
    line = (f"{len(made)} files in {out}. Hand out {out}/students, keep {out}/lecturer; "
            f"mark with: kit course check FOLDER{told}")  # fmt: skip
    emit([str(p) for p in made], as_json, line)


@course.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--variants", type=FILE,
              help="The lecturer's variants.csv of `course build`.")  # fmt: skip
@click.option("--only", default="", help="Labs, separated by commas: lab_01,capstone.")
@click.option("--csv", "target", type=click.Path(path_type=Path), help="Marks, a line a student.")
@click.option("--explanations", "texts", type=click.Path(path_type=Path),
              help="What is to be marked by hand, as CSV.")  # fmt: skip
@seed_option
@workers_option
@as_json
def check(
    folder: Path, variants: Path | None, only: str, target: Path | None, texts: Path | None,
    seed: str, workers: int, as_json: bool,
) -> None:  # fmt: skip
    """Mark FOLDER/<student>/<lab>.ipynb: answers run in the sandbox, cases are drawn by the seed.

    Keep the seed: with it the same marks come out again.
    """
    from kit.course import copies, marking

    seed = seed or secrets.token_hex(8)
    given = copies.read_variants(variants) if variants else None
    labs = [lab for lab in only.split(",") if lab]
    marks = marking.mark(folder, seed=seed, variants=given, only=labs, workers=workers)
    students = marks.by_student()
    if target:
        students.to_csv(target, index=False)
    if texts:
        marks.explanations.to_csv(texts, index=False)
    told = {"seed": seed, "students": _rows(students), "exercises": _rows(marks.exercises),
            "explanations": _rows(marks.explanations)}  # fmt: skip
    emit(told, as_json, f"{marking.text(marks)}\n\nseed: {seed}")
    if marks.exercises["points"].isna().any():
        raise KitError("Some exercises were not marked, for the sandbox failed. Run it again.")


def _rows(table: object) -> object:
    return json.loads(table.to_json(orient="records"))  # type: ignore[attr-defined]
