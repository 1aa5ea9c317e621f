"""`kit validate rules`: the general rules against labels, with probes switched off."""

import json
from pathlib import Path

import click

from kit.cli.options import OF_SUITE, as_json, box_option, emit, only_option, workers_option
from kit.errors import KitError


@click.command("validate rules")
@click.option("--data", type=click.Path(path_type=Path, exists=True, file_okay=False),
              help="Folder of DualGauge-Bench's items; without it only ours count.")  # fmt: skip
@only_option
@click.option("--run", "run_name", default="validate-rules", show_default=True)
@click.option("--record", is_flag=True, help="Keep the table in data/references_official.")
@box_option
@workers_option
@as_json
def rules(
    data: Path | None, only: str, run_name: str, record: bool, tier: str, workers: int,
    as_json: bool,
) -> None:  # fmt: skip
    """Measure the general rules, one by one, on labelled security tests without their probes.

    Both halves are printed: the tasks that rules were written with, and those held out. The set
    "fresh" are programs for official items that were written after the last rule.
    """
    import pandas as pd

    from kit.paths import REFERENCES
    from kit.run.rules import measured
    from kit.study import rules as study
    from kit.suites.spec.rules import RulesSuite

    sets: dict[str, tuple[Path | None, Path]] = {"own": (None, REFERENCES)}
    if data is not None:
        sets |= {name: (data, folder) for name, folder in study.FOLDERS.items()}
    wanted, made = {w.strip() for w in only.split(",") if w.strip()}, []
    for name, (path, folder) in sets.items():
        suite = RulesSuite("dualgauge")
        tasks = [t for t in suite.load(path).tasks if not wanted or t.id in wanted]
        tasks = [t for t in tasks if (folder / t.id / "labels.json").exists()]
        if tasks:
            run = f"{run_name}-{name}"
            rows = measured(run, suite, tasks, folder, tier=tier, workers=workers)
            made.append(study.table(rows, name=name))
    if not made:
        raise KitError(f"No labelled task is named {only!r}. `kit tasks dualgauge` lists ours.")
    table = pd.concat(made, ignore_index=True)
    if record:
        study.record(table)
    parts = {"summary": study.summary(table), "rules": study.by(table, "rule"),
             "cwes": study.by(table, "cwe"), "wrong": study.wrong(table)}  # fmt: skip
    told = {k: json.loads(v.to_json(orient="records")) for k, v in parts.items()}
    lacking = (
        "" if data else "\nThe official items were not measured; name their folder with --data."
    )
    emit(told, as_json, study.text(table) + lacking)


OF_SUITE["validate", "rules"] = rules
