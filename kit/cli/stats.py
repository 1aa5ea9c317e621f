"""The commands that measure the measurement: its speed, and how often it says something else."""

import json
import sys
from functools import partial
from pathlib import Path
from typing import Any

import click

from kit.cli.benches import bench
from kit.cli.options import (
    as_json,
    emit,
    main,
    workers_option,
)


@bench.command("scale")
@click.option("--samples", type=click.IntRange(10), default=5000, show_default=True)
@as_json
def bench_scale(samples: int, as_json: bool) -> None:
    """What a run of many samples costs to write, read, score, resume and merge."""
    from kit.run import scale
    from kit.study import Explorer

    found = scale.measure(samples, lambda store, tasks: Explorer(store, tasks, {}))
    emit(found, as_json, "\n".join(f"{name:60}{value}" for name, value in found.items()))


@bench.command("soak")
@click.option("--runs", type=click.IntRange(1), default=20_000, show_default=True)
@click.option("--tier", "tiers", multiple=True, help="May be repeated; all but bare by default.")
@workers_option
@as_json
def bench_soak(runs: int, tiers: tuple[str, ...], workers: int, as_json: bool) -> None:
    """What many runs leave behind: memory, processes, descriptors, cgroups, mounts, files.

    Exits with 1 where something grew.
    """
    from kit.run import soak

    found = soak.measure(tiers, runs=runs, workers=workers)
    emit(found, as_json, soak.text(found))
    if any(tier["grew"] for tier in found["tiers"].values()):
        sys.exit(1)


@bench.command("ossbench")
@click.option("--project", default="cjson", show_default=True, help="cjson, sqlite or php.")
@click.option("--checkout", type=click.Path(path_type=Path), help="A source tree of yours.")
@click.option("--edits", type=click.IntRange(10),
              help="How many edits are checked the fast way.")  # fmt: skip
@click.option("--rebuilds", type=click.IntRange(1),
              help="How many of them are also built in full, and compared.")  # fmt: skip
@click.option("--iterations", type=click.IntRange(1), help="Iterations run in both modes.")
@as_json
def bench_ossbench(project: str, checkout: Path | None, as_json: bool, **sizes: Any) -> None:
    """Check against rebuild, schemata against rebuild, both with their agreement."""
    from kit.sandbox import Limits, open_sandbox
    from kit.suites.cproject import speed
    from kit.suites.cproject.projects import functions, open_project

    tree = open_project(project, checkout=checkout)
    with open_sandbox("bwrap", Limits(ptrace=True)) as box:
        result = speed.measure(tree, functions(tree), box, say=partial(click.echo, err=True),
                               **sizes)  # fmt: skip
    emit(result, as_json, "\n".join(f"{k:44}{v}" for k, v in result.items()))


@bench.command("coverage")
@click.option(
    "--runs",
    type=click.IntRange(10),
    default=500,
    show_default=True,
    help="Simulated runs of each oracle.",
)
@as_json
def bench_coverage(runs: int, as_json: bool) -> None:
    """How often printed intervals hold the truth, in simulated runs whose truth is known.

    Without calibration the interval holds the true value with 95 % at either end of what the
    oracle leaves open, and with more between. Two-stage resampling is a little wider where tasks
    have several samples.
    """
    from kit.run import simulation

    told = simulation.tables(runs=runs)
    parts = {name: json.loads(rows.to_json(orient="records")) for name, rows in told.items()}
    emit(parts, as_json, simulation.text(told))


@main.command()
@click.argument("run")
@click.option("--by", default="model", show_default=True, help="Columns of the scores, by commas.")
@as_json
def flakes(run: str, by: str, as_json: bool) -> None:
    """How many tests of RUN got another verdict when repeated, which, why, and what it changes.

    A run is repeated with `--repeat N` of evaluate, validate and run. A flaky test counts as it
    came first; flake_low and flake_high take all of them as failed and as passed.
    """
    from kit.metrics import stats
    from kit.run import flakes as flakes_
    from kit.store import Store

    with Store(run, write=False) as store:
        told = flakes_.report(store)
        found = flakes_.cells(flakes_.frame(store))
        columns = [c for c in by.split(",") if c]
        scores = flakes_.measure(store.frame(), found, by=columns, rng=stats.seed(run), n_boot=500)
    named = ("metric", "estimate", "low", "high", "flake_low", "flake_high")
    told["scores"] = scores[[*columns, *named]]
    parts = {name: json.loads(rows.to_json(orient="records")) for name, rows in told.items()}
    emit(parts, as_json, flakes_.text(told))
