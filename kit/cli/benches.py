"""`kit bench`: benches of their own, and one for every suite."""

from pathlib import Path
from typing import Any

import click

from kit.cli.options import (
    as_json,
    box_option,
    data_option,
    emit,
    is_suite,
    load_tasks,
    main,
    only_option,
    workers_option,
)


class Benches(click.Group):
    """Benches of their own, and for every suite the speed of its labelled programs."""

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        own = super().get_command(ctx, name)
        return own or (bench_suite(name) if is_suite(name) else None)


@main.group(cls=Benches)
def bench() -> None:
    """Speed as ratios, measured in one run."""


def bench_suite(name: str) -> click.Command:
    """`kit bench SUITE`: tests a second over the labelled programs, nothing cached."""

    @click.command(name, help=f"Tests a second over the labelled programs of {name}.")
    @data_option
    @only_option
    @click.option("--limit", type=click.IntRange(1), help="Programs of each language.")
    @click.option("--stages", "by_stage", is_flag=True,
                  help="Where the time of a test goes instead, by language.")  # fmt: skip
    @box_option
    @workers_option
    @as_json
    def command(
        data: Path | None,
        only: str,
        limit: int | None,
        by_stage: bool,
        tier: str,
        workers: int,
        as_json: bool,
    ) -> None:
        from kit.run import spent, throughput
        from kit.suites import open_suite

        suite = open_suite(name)
        tasks = load_tasks(suite, data, only)
        samples, _ = suite.references(tasks, suite.labels)
        found: dict[str, Any]
        if by_stage:
            found = spent.measure(suite, tasks, samples, limit=limit, tier=tier)
            emit(found, as_json, spent.text(found))
            return
        found = throughput.measure(suite, tasks, samples, workers=workers, limit=limit, tier=tier)
        emit(found, as_json, throughput.text(found))

    return command
