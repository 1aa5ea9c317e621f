"""The commands `kit course build` and `kit course check`."""

import json
import secrets
from pathlib import Path

import click

from kit.cli.options import as_json, emit, main, workers_option
from kit.cli.parameter_types import Target
from kit.core.errors import KitError

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
secret_option = click.option(
    "--secret",
    "keep",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File with the secret that seals the marking.",
)


@main.group()
def course() -> None:
    """Labs for a class: build copies, mark what comes back. There are six labs and a capstone."""


@course.command()
@click.argument("out", type=click.Path(path_type=Path))
@click.option(
    "--variants",
    "names",
    type=FILE,
    help="Students, a name a line, or a gradebook exported by Canvas or Moodle: "
    "everybody gets a folder and a variant.",
)
@secret_option
@click.option(
    "--slides", is_flag=True, help="Slides of every lab, too, executed, without solutions."
)
@as_json
def build(out: Path, names: Path | None, keep: Path | None, slides: bool, as_json: bool) -> None:
    """Write copies of the labs for students and lecturer. Only OUT/lecturer has the solutions.

    Every installed kit holds the solutions. With --secret the copies are sealed: they ask for other
    numbers, names and cases, which are drawn from the secret, so that a copied answer is wrong.
    FILE is created if it does not exist; keep it, because marking needs it.
    """
    from kit.core.paths import replace_whole
    from kit.course import gradebook, marking

    students = gradebook.read_roster(names) if names else []
    secret = ""
    is_new = keep and not keep.exists()
    if keep:
        secret = secrets.token_hex(32) if is_new else marking.read_secret(keep)
    written = marking.build_copies(
        out, students=students, seed=secret or secrets.token_hex(8), secret=secret
    )
    if slides:
        from kit.course.slides import write_slides

        pages, failures = write_slides(out / "lecturer" / "slides")
        written += pages
        for failure in failures:
            click.echo(f"Slides without results: {failure}", err=True)
    if keep and is_new:
        replace_whole(keep, f"{secret}\n")
    marker_options = f" --variants {out}/lecturer/variants.csv" if names else ""
    if keep:
        marker_options += f" --secret {keep}"
    line = (
        f"{len(written)} files in {out}. Hand out {out}/students, keep {out}/lecturer; "
        f"mark with: kit course check FOLDER{marker_options}"
    )
    emit([str(p) for p in written], as_json, line)


@course.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--variants", type=FILE, help="The lecturer's variants.csv of `course build`.")
@secret_option
@click.option(
    "--only",
    default="",
    help="Assigned labs, such as lab_01,capstone; default: all with a submission.",
)
@click.option(
    "--csv",
    "target",
    type=Target(),
    help="Gradebook. Marks in its columns by hand count, and are kept.",
)
@click.option(
    "--weights", type=FILE, help="Table lab,weight,due: a changed weights.csv of `course build`."
)
@click.option(
    "--into",
    type=FILE,
    help="A gradebook that Canvas or Moodle exported: each lab's points go into its "
    "column lab_01, and so on, or into a new one. All else stays.",
)
@click.option(
    "--explanations", "texts", type=Target(), help="What is to be marked by hand, as CSV."
)
@click.option("--seed", default="", help="Text that cases are drawn from; default: the secret.")
@workers_option
@as_json
def check(
    folder: Path,
    variants: Path | None,
    keep: Path | None,
    only: str,
    target: Path | None,
    weights: Path | None,
    into: Path | None,
    texts: Path | None,
    seed: str,
    workers: int,
    as_json: bool,
) -> None:
    """Mark the notebooks that students handed in. They are FOLDER/<student>/<lab>.ipynb.

    Answers run in the sandbox, and cases are drawn by the seed. Keep the seed: with it the same
    marks come out again. A submission modified after the due date in --weights is reported as late;
    no points are deducted.
    """
    from kit.core.paths import replace_whole
    from kit.course import gradebook, marking

    secret = marking.read_secret(keep) if keep else ""
    shown_seed = seed or ("the secret" if keep else secrets.token_hex(8))
    by_student = marking.read_variants(variants) if variants else {}
    marks = marking.mark_class(
        folder,
        secret=secret,
        seed=secret if keep and not seed else shown_seed,
        variants=by_student,
        workers=workers,
        only=only.replace(",", " ").split(),
        by_hand=gradebook.read_by_hand(target) if target else {},
        weights=weights or gradebook.WEIGHTS,
    )
    for notebook in marks.unread:
        mend = "Rename it to <student>/<lab>.ipynb, such as ada/lab_01.ipynb"
        click.echo(f"kit: {notebook} is not marked, because of its name. {mend}.", err=True)
    students = marks.by_student()
    if target:
        replace_whole(target, marks.make_gradebook().to_csv(index=False))
    if into:
        replace_whole(into, gradebook.fill_gradebook(into, marks))
    if texts:
        marks.explanations.to_csv(texts, index=False)
    report = {
        "seed": shown_seed,
        "students": _list_rows(students),
        "exercises": _list_rows(marks.exercises),
        "explanations": _list_rows(marks.explanations),
        "unread": marks.unread,
    }
    emit(report, as_json, f"{gradebook.describe_marks(marks)}\n\nseed: {shown_seed}")
    if marks.exercises["points"].isna().any():
        raise KitError("Some exercises were not marked, for the sandbox failed. Run it again.")


def _list_rows(table: object) -> object:
    return json.loads(table.to_json(orient="records"))  # type: ignore[attr-defined]
