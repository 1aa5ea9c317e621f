"""The commands that measure the measurement: its speed, and how often it says something else."""

import json
from pathlib import Path
from typing import Any

import click

from kit.cli.options import (
    as_json,
    data_option,
    emit,
    load_tasks,
    main,
    only_option,
    workers_option,
)


def bench_suite(name: str) -> click.Command:
    """`kit bench SUITE`: tests a second over the labelled programs, nothing cached."""

    @click.command(name, help=f"Tests a second over the labelled programs of {name}.")
    @data_option
    @only_option
    @click.option("--limit", type=click.IntRange(1), help="Programs of each language.")
    @workers_option
    @as_json
    def command(
        data: Path | None, only: str, limit: int | None, workers: int, as_json: bool
    ) -> None:
        from kit.run import throughput
        from kit.suites import open_suite

        suite = open_suite(name)
        tasks = load_tasks(suite, data, only)
        samples, _ = suite.references(tasks, suite.labels)
        found: dict[str, Any] = throughput.measure(suite, tasks, samples, workers=workers,
                                                   limit=limit)  # fmt: skip
        emit(found, as_json, throughput.text(found))

    return command


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
