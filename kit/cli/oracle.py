"""The command `kit validate oracle`."""

from pathlib import Path

import click

from kit.cli.options import (
    KitCommand,
    as_json,
    box_option,
    emit,
    main,
    only_option,
    split_names,
    workers_option,
)
from kit.core.errors import KitError


@main.command("validate oracle", cls=KitCommand)
@click.option(
    "--data",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Folder of DualGauge-Bench's items; default: the kit's tasks.",
)
@only_option
@click.option(
    "--run",
    "run_name",
    default="validate-oracle",
    show_default=True,
    help="Prefix of the names of its runs.",
)
@click.option(
    "--oracle",
    default="compiled",
    show_default=True,
    help='Oracle to measure: "compiled" (the shipped compiled probes), "probes alone" '
    "(the same without variants), or a file of `kit task compile`.",
)
@click.option(
    "--table",
    "written_to",
    type=click.Path(path_type=Path, dir_okay=False),
    help="CSV file to write, one row per program and test.",
)
@box_option
@workers_option
@as_json
def oracle(
    data: Path | None,
    only: str,
    run_name: str,
    oracle: str,
    written_to: Path | None,
    tier: str,
    workers: int,
    as_json: bool,
) -> None:
    """Measure an oracle on labelled security tests.

    It does not get the probes of the tests' authors. Development tasks and held-out tasks are
    reported separately. Programs of the set "unseen" were written after the last compiled probe.
    """
    import pandas as pd

    from kit.core.paths import REFERENCES
    from kit.review import measured

    suite = measured.CompiledSuite("dualgauge")
    sets: list[tuple[str, Path | None, Path]] = [("own", None, REFERENCES)]
    if data is not None:
        sets += [(name, data, folder) for name, folder in measured.FOLDERS.items()]
        loaded = suite.load(data)
        if not loaded.tasks:
            problem = loaded.problems[0]
            raise KitError(f"No item in {data} can be read. First problem: {problem}")
    wanted = split_names(only)
    tables = []
    for name, items, labels in sets:
        tasks = []
        for task in suite.load(items).tasks:
            is_wanted = not wanted or task.id in wanted
            if is_wanted and (labels / task.id / "labels.json").exists():
                tasks.append(task)
        if tasks:
            run = f"{run_name}-{name}-{Path(oracle).stem.replace(' ', '-')}"
            judged = measured.judged_by(tasks, oracle)
            rows = measured.measure_oracle(run, suite, judged, labels, tier=tier, workers=workers)
            tables.append(measured.build_table(rows, name=name))
    if not tables:
        raise KitError(f"No labelled task is named {only!r}. List them: kit tasks dualgauge.")
    table = pd.concat(tables, ignore_index=True)
    if written_to:
        in_order = table.sort_values(["set", "task", "program", "test"])  # whatever the run's is
        in_order.to_csv(written_to, index=False)
    parts = {
        "summary": measured.summary(table),
        "authors": measured.count_by_column(table, "rule"),
        "cwes": measured.count_by_column(table, "cwe"),
        "wrong": measured.wrong(table),
    }
    titles = {"summary": "", "authors": "By author of the probes:\n", "cwes": "By CWE:\n"}
    blocks = []
    for name, title in titles.items():
        blocks.append(title + parts[name].round(3).to_string(index=False))
    if not data:
        blocks.append("The official items were not measured. Name their folder with --data.")
    emit(parts, as_json, "\n".join(blocks))
