"""The command `kit validate oracle`."""

from pathlib import Path

import click

from kit.cli.options import Command, as_json, box_option, emit, only_option, workers_option
from kit.errors import KitError


@click.command("oracle", cls=Command)
@click.option("--data", type=click.Path(path_type=Path, exists=True, file_okay=False),
              help="Folder of DualGauge-Bench's items; default: the kit's tasks.")  # fmt: skip
@only_option
@click.option("--run", "run_name", default="validate-oracle", show_default=True,
              help="Prefix of the names of its runs.")  # fmt: skip
@click.option("--oracle", default="compiled", show_default=True,
              help='Oracle to measure: "compiled" (the shipped compiled probes), "probes alone" '
              '(the same without variants), or a file of `kit task compile`.')  # fmt: skip
@click.option("--table", "written_to", type=click.Path(path_type=Path, dir_okay=False),
              help="CSV file to write, one row per program and test.")  # fmt: skip
@box_option
@workers_option
@as_json
def oracle(
    data: Path | None, only: str, run_name: str, oracle: str, written_to: Path | None, tier: str,
    workers: int, as_json: bool,
) -> None:  # fmt: skip
    """Measure an oracle on labelled security tests.

    It does not get the probes of the tests' authors. Development tasks and held-out tasks are
    reported separately. Programs of the set "unseen" were written after the last compiled probe.
    """
    import pandas as pd

    from kit.paths import REFERENCES
    from kit.review import measured

    sets: dict[str, tuple[Path | None, Path]] = {"own": (None, REFERENCES)}
    if data is not None:
        sets |= {name: (data, folder) for name, folder in measured.FOLDERS.items()}
    if data is not None and not (loaded := measured.CompiledSuite("dualgauge").load(data)).tasks:
        raise KitError(f"No item in {data} can be read. First problem: {loaded.problems[0]}")
    wanted, tables = {w.strip() for w in only.split(",") if w.strip()}, []
    for name, (path, folder) in sets.items():
        suite = measured.CompiledSuite("dualgauge")
        tasks = [t for t in suite.load(path).tasks if not wanted or t.id in wanted]
        tasks = [t for t in tasks if (folder / t.id / "labels.json").exists()]
        if tasks:
            tasks = measured.judged_by(tasks, oracle)
            run = f"{run_name}-{name}-{Path(oracle).stem.replace(' ', '-')}"
            rows = measured.measured(run, suite, tasks, folder, tier=tier, workers=workers)
            tables.append(measured.table(rows, name=name))
    if not tables:
        raise KitError(f"No labelled task is named {only!r}. List them: kit tasks dualgauge.")
    table = pd.concat(tables, ignore_index=True)
    if written_to:
        in_order = table.sort_values(["set", "task", "program", "test"])  # whatever the run's is
        in_order.to_csv(written_to, index=False)
    parts = {"summary": measured.summary(table), "authors": measured.by(table, "rule"),
             "cwes": measured.by(table, "cwe"), "wrong": measured.wrong(table)}  # fmt: skip
    titles = {"summary": "", "authors": "By author of the probes:\n", "cwes": "By CWE:\n"}
    text = "\n".join(f"{title}{parts[name].round(3).to_string(index=False)}"
                     for name, title in titles.items())  # fmt: skip
    if not data:
        text += "\nThe official items were not measured. Name their folder with --data."
    emit(parts, as_json, text)
