"""The commands that measure the measurement: its speed, and how often it says something else."""

from pathlib import Path
from typing import Any

import click

from kit.cli import as_json, bench, data_option, emit, load_suite, only_option, workers_option


@bench.command("dualgauge")
@data_option
@only_option
@click.option("--limit", type=click.IntRange(1), help="Programs of each language, spread evenly.")
@workers_option
@as_json
def bench_dualgauge(
    data: Path | None, only: str, limit: int | None, workers: int, as_json: bool
) -> None:
    """Tests a second over the labelled programs: execution and offline oracle, nothing cached."""
    from kit import throughput, validate

    tasks = load_suite("dualgauge", data, only)
    samples, _ = validate.references(tasks)
    found: dict[str, Any] = throughput.measure(tasks, samples, workers=workers, limit=limit)
    emit(found, as_json, throughput.text(found))
