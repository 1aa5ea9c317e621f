"""`kit task`: tasks of your own, and models that propose tests for people to review."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from kit.cli.options import as_json, emit, main
from kit.errors import KitError
from kit.paths import read_text

FOLDER = Path("drafts")


@main.group()
def task() -> None:
    """Tasks of your own: begin one, let models draft its tests, read what its files hold."""


@task.command()
@click.argument("suite", type=click.Choice(["dualgauge"]))
@click.option(
    "--prompt",
    "source",
    required=True,
    type=click.Path(path_type=Path),
    help="File with the specification, or tests.json of an item to extend.",
)
@click.option(
    "--model",
    "specs",
    multiple=True,
    required=True,
    help="SPEC or SPEC@URL; give several, each proposes by itself.",
)
@click.option("--id", "name", help="Name of the item; the file's name by default.")
@click.option("--out", type=click.Path(path_type=Path), default=FOLDER, show_default=True,
              help="Folder of drafts; the item gets a folder below it.")  # fmt: skip
@click.option(
    "--most",
    type=click.IntRange(1),
    default=12,
    show_default=True,
    help="Tests of a kind that one model may propose.",
)
@click.option("--temperature", type=float, help="Sent only when given.")
@click.option("--budget", type=float, help="US dollars, over all models; no limit by default.")
@as_json
def draft(suite: str, source: Path, specs: tuple[str, ...], name: str | None, out: Path, most: int,
          temperature: float | None, budget: float | None, as_json: bool) -> None:  # fmt: skip
    """Let models propose functional and security tests; write a candidate item for review."""
    from kit.generation.cost import Budget
    from kit.generation.models import opened
    from kit.generation.structured import Asker
    from kit.suites.spec import draft as drafting

    prompt, existing, fixtures = _specification(source)
    folder = out / (name or (source.parent.name if existing else source.stem))
    if folder.parent != out or folder.name == "..":
        raise KitError(f"--id {name!r} is no name of a folder below {out}. Leave slashes out.")
    if folder.exists():
        raise KitError(f"{folder} is there already and is not written over. Use another --id.")
    try:  # before a model is paid
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise KitError(f"{out} cannot be made ({error.strerror}). Use another --out.") from None
    if not os.access(out, os.W_OK):
        raise KitError(f"{out} cannot be written to. Use another --out.")
    purse = None if budget is None else Budget(budget)
    askers = [Asker(opened(spec), budget=purse, temperature=temperature) for spec in specs]
    made = drafting.propose(prompt, askers, most=most, existing=existing)
    drafting.write(made, folder, existing=existing, fixtures=fixtures)
    kinds = {kind: len(tests) for kind, tests in made.tests.items()}
    told = {"suite": suite, "folder": str(folder), **kinds, "rejected": len(made.rejected),
            "failed": dict(made.failed)}  # fmt: skip
    lines = [f"{told['functional']} functional and {told['security']} security tests in "
             f"{told['folder']}; {told['rejected']} proposals rejected"]  # fmt: skip
    lines += [f"{who}: no proposals ({why})" for who, why in dict(made.failed).items()]
    lines.append("Review them before use: notebooks/dualgauge/review.ipynb.")
    emit(told, as_json, "\n".join(lines))


def _specification(source: Path) -> tuple[str, dict[str, Any], Mapping[str, bytes]]:
    """The specification, and the item that it belongs to with its fixtures, if it is one."""
    text = read_text(source)
    if source.name != "tests.json":
        if not text.strip():
            raise KitError(f"{source} is empty; write the specification into it.")
        return text.strip(), {}, {}
    from kit.form import Malformed
    from kit.suites.spec import item

    try:
        task, _ = item.parse(source.parent, suite="draft")
    except Malformed as error:
        raise KitError(f"{source}: {error}") from error
    return task.prompt, json.loads(text), task.files


@task.command("new")
@click.argument("folder", type=click.Path(path_type=Path))
@as_json
def new_task(folder: Path, as_json: bool) -> None:
    """Begin a task of your own in FOLDER: tests, fixtures, two labelled programs."""
    from kit.suites.spec import authoring

    made = authoring.begin(folder)
    line = (f"kit validate dualgauge --data {folder}/tasks --references {folder}/references "
            f"--run {folder}/run")  # fmt: skip
    emit({"files": [str(p) for p in made], "validate": line}, as_json,
         "\n".join([*map(str, made), f"Check it with: {line}"]))  # fmt: skip


@task.command()
@click.option("--write", is_flag=True, help="Into data/suites, beside the suites.")
@click.option("--site", type=click.Path(path_type=Path), help="Build all pages into this folder.")
def docs(write: bool, site: Path | None) -> None:
    """Print what tests.json and labels.json hold, with every probe; or build all pages."""
    from kit.paths import SUITES, own
    from kit.suites.spec import authoring

    if site:
        from kit.books.site import build

        shown = build(site)
        click.echo(f"Open {site.resolve() / 'index.html'}; {shown} notebooks with their results")
        return
    if write:
        own(SUITES / "README.md").write_text(authoring.page())
        own(SUITES / "tests.schema.json").write_text(authoring.text_of_schema())
    click.echo(authoring.page())
