"""A run's executions by hand, for any batch system: `kit plan`, `kit work`, `kit merge`."""

import re
import shlex
import sys
from pathlib import Path

import click

from kit.cli.options import box_option, data_option, load_tasks, main
from kit.errors import KitError

SBATCH = """#!/bin/sh
#SBATCH --array=1-{n}
#SBATCH --cpus-per-task=1
exec {kit} work {folder} --shard $SLURM_ARRAY_TASK_ID/{n}
"""
JOB = """apiVersion: batch/v1
kind: Job
metadata: {{name: kit-work}}
spec:
  completions: {n}
  completionMode: Indexed
  template:
    spec:
      restartPolicy: OnFailure
      containers:
      - name: work
        image: YOUR-IMAGE-WITH-THE-KIT
        command: [sh, -c, "exec kit work {folder} --shard $((JOB_COMPLETION_INDEX + 1))/{n}"]
"""


@main.command()
@click.argument("run")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--size", type=click.IntRange(1), default=500, show_default=True,
              help="Trials of a unit.")  # fmt: skip
@data_option
@box_option
def plan(run: str, folder: Path, size: int, data: Path | None, tier: str) -> None:
    """Cut what RUN has not executed yet into units in FOLDER, with job scripts for them."""
    from kit.paths import replace_whole
    from kit.run import units
    from kit.sandbox import open_sandbox
    from kit.store import Store
    from kit.suites import of_run

    if folder.exists() and any(folder.iterdir()):
        raise KitError(f"{folder} is not empty. Merge what is in it, or choose another folder.")
    with Store(run) as store:
        suite = of_run(store)
        tasks = load_tasks(suite, data)
        with open_sandbox(tier, suite.limits) as box:
            trials, cached = units.missing(store, suite, tasks, box)
        parts = list(units.cut(trials, size))
        folder.mkdir(parents=True, exist_ok=True)
        for number, part in enumerate(parts, 1):
            replace_whole(folder / f"unit-{number:04}.sqlite", units.packed(store, tasks, part))
    if parts:
        values = {"n": len(parts), "folder": shlex.quote(str(folder.resolve()))}
        kit = f"{shlex.quote(sys.executable)} -m kit"  # a job has a PATH of its own
        replace_whole(folder / "array.sbatch", SBATCH.format(kit=kit, **values))
        replace_whole(folder / "job.yaml", JOB.format(**values))
    click.echo(f"{len(parts)} units of {len(trials)} trials in {folder}; {cached} tests are known. "
               f"Then: kit work {folder} --shard I/N, and kit merge {run} {folder}.")  # fmt: skip


@main.command()
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--shard", default="1/1", show_default=True, help="I/N: units I, I + N, ...")
@data_option
@box_option
def work(folder: Path, shard: str, data: Path | None, tier: str) -> None:
    """Execute units of FOLDER; each is done on this machine's disk and comes back whole."""
    from kit.paths import replace_whole
    from kit.run import units

    found = re.fullmatch(r"(\d+)/(\d+)", shard)
    if not found or not 1 <= int(found[1]) <= int(found[2]):
        raise KitError(f"--shard {shard!r} must be I/N with I from 1 to N, such as 3/8.")
    mine = _units(folder)[int(found[1]) - 1 :: int(found[2])]
    for path in mine:
        file, tally = units.work(path.read_bytes(), data=data, tier=tier)
        replace_whole(path, file)
        click.echo(f"{path.name}: {tally}")
    if not mine:
        click.echo(f"Shard {shard} has no unit.")


@main.command()
@click.argument("run")
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
def merge(run: str, folder: Path) -> None:
    """Take the results of the units in FOLDER over into RUN; any number of times, in any order."""
    from kit.run import units
    from kit.store import Store

    with Store(run) as store:
        before = len(store.settled())
        found = [units.merged(store, path.read_bytes()) for path in _units(folder)]
        new = len(store.settled()) - before
    differing, left = map(sum, zip(*found, strict=True))
    click.echo(f"{new} results came in; {differing} differ from known ones (`kit flakes {run}`).")
    if left:
        click.echo(f"kit: {left} trials have no result yet: kit work {folder}", err=True)


def _units(folder: Path) -> list[Path]:
    if found := sorted(folder.glob("unit-*.sqlite")):
        return found
    raise KitError(f"No units in {folder}. Make them with `kit plan RUN {folder}`.")
