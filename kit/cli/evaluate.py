"""The command for programs that somebody already has, and what a build server reads of it."""

import sys
from pathlib import Path
from typing import Any

import click

from kit.cli.models import with_models
from kit.cli.options import (
    OfLoaded,
    as_json,
    box_option,
    configured,
    data_option,
    load_tasks,
    main,
    only_option,
    run_option,
    workers_option,
)
from kit.cli.score import show
from kit.errors import KitError


@main.command(cls=OfLoaded)
@click.argument("suite")
@click.option("--programs", type=click.Path(path_type=Path), required=True,
              help="Folder with <task id>/<name>.<ext>, or a samples.jsonl.")  # fmt: skip
@click.option("--model-name", default="", help="The model that wrote all of these programs.")
@click.option("--skip-bad", is_flag=True, help="Leave out files that are no programs of a task.")
@click.option("--sarif", type=click.Path(path_type=Path), help="Write what is not passed as SARIF.")
@click.option("--junit", type=click.Path(path_type=Path), help="Write every test as JUnit's XML.")
@data_option
@only_option
@run_option
@box_option
@workers_option
@with_models
@as_json
def evaluate(
    suite: str,
    programs: Path,
    model_name: str,
    skip_bad: bool,
    sarif: Path | None,
    junit: Path | None,
    data: Path | None,
    only: str,
    run_name: str | None,
    tier: str,
    workers: int,
    stages: Any,
    as_json: bool,
    **options: Any,
) -> None:
    """Judge programs that somebody already has: <task id>/<name>.<ext>, or a samples.jsonl.

    A line of samples.jsonl is {"task_id": ..., "solution" or "completion": ..., "language": ...}.
    With --sarif or --junit the exit code is 1 where a test failed, else 3 where one could not be
    run, else 0; what is undecided is a note (skipped in JUnit) and is counted on stderr.
    """
    from kit.generation import given
    from kit.run.validate import execute
    from kit.suite import Loaded

    opened = configured(suite, options)
    every = load_tasks(opened, data)
    chosen = Loaded(suite, tuple(every)).chosen(only.split(","))
    ids = {t.id for t in chosen}
    how: dict[str, Any] = {"model": model_name, "skip_bad": skip_bad, "language": opened.language}
    placed = [(s, at) for s, at in given.placed(programs, every, **how) if s.task in ids]
    samples = [s for s, _ in placed]
    for sample in [s for s in samples if s.note]:
        click.echo(f"kit: {sample.task} {sample.model}: {sample.note}", err=True)
    if not samples:
        raise KitError(f"No programs for {only} in {programs}. Make <task id>/<name>.py there.")
    run = run_name or f"{opened.name}-{programs.resolve().name}"
    _say_what_lacks(samples, tier)
    tally, frame = execute(run, opened, chosen, samples, tier=tier, workers=workers, stages=stages)
    show(run, opened, frame, str(tally), as_json)
    if sarif or junit:
        sys.exit(_gate(run, programs, placed, sarif, junit))


def _say_what_lacks(samples: list[Any], tier: str) -> None:
    """Before anything is run: the libraries that programs import and the box has not."""
    from kit.harness import libraries
    from kit.sandbox import open_sandbox

    with open_sandbox(tier) as box:
        gone = libraries.lacking(box, ((s.code, s.language) for s in samples))
    for line in libraries.sentences(gone):
        click.echo(f"kit: {line}", err=True)


def _gate(run: str, programs: Path, placed: Any, sarif: Path | None, junit: Path | None) -> int:
    """Write the files that a build server reads, and say what they hold; the exit code."""
    from kit.paths import replace_whole
    from kit.run import gate
    from kit.run import junit as xml
    from kit.run import sarif as json_
    from kit.store import Store, slot_of

    with Store(run, write=False) as store:
        found = gate.checks(store, {slot_of(s): at for s, at in placed}, programs)
    for target, write in ((sarif, json_.sarif), (junit, xml.junit)):
        if target:
            replace_whole(target, write(found))
    click.echo(f"kit: {gate.text(found)}", err=True)
    return gate.exit_code(found)
