"""`kit task`: tasks of your own, and models that propose tests for people to review."""

from pathlib import Path

import click

from kit.cli.options import as_json, emit, main


@main.group()
def task() -> None:
    """Tasks of your own: begin one, let models draft its tests, read what its files hold."""


@task.command("new")
@click.argument("folder", type=click.Path(path_type=Path))
@as_json
def new_task(folder: Path, as_json: bool) -> None:
    """Begin a task of your own in FOLDER: tests, fixtures, two labelled programs."""
    from kit.suites.spec import authoring

    paths = authoring.begin(folder)
    line = (f"kit validate dualgauge --data {folder}/tasks --references {folder}/references "
            f"--run {folder}/run")  # fmt: skip
    emit({"files": [str(p) for p in paths], "validate": line}, as_json,
         "\n".join([*map(str, paths), f"Check it with: {line}"]))  # fmt: skip


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
