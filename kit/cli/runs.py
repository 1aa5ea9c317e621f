"""The commands `kit score`, `kit runs` (reports on a run) and `kit task` (your own tasks)."""

import shlex
import shutil
from pathlib import Path
from typing import Any

import click

from kit.cli.options import as_json, box_option, data_option, emit, load_tasks, main, with_judge
from kit.core.errors import KitError


@main.group(invoke_without_command=True)
@click.pass_context
@as_json
def runs(ctx: click.Context, as_json: bool) -> None:
    """List the runs in data/runs. With a subcommand, report on one run or judge it again."""
    from kit.run import report

    if ctx.invoked_subcommand is None:
        rows = report.list_runs()
        none = "No runs yet. Make one with `kit validate dualgauge --only k01` or `kit run`."
        emit(rows, as_json, none if rows.empty else rows.to_string(index=False))


@runs.command(first=("data", "tier", "judge", "as_json"))
@click.argument("run")
@data_option
@box_option
@with_judge
@as_json
def judge(run: str, data: Path | None, tier: str, judging: Any, as_json: bool) -> None:
    """Judge the stored evidence of RUN again. The oracle is today's; nothing is executed."""
    from kit.core.store import Store
    from kit.run import pipeline
    from kit.run.suites import of_run
    from kit.sandbox import open_sandbox

    with Store(run, write=False) as stored:
        opened = of_run(stored)
    with Store(run) as store, open_sandbox(tier, opened.limits) as box:
        chosen = load_tasks(opened, data)
        tally = pipeline.judge(store, opened, chosen, box)
        asked = judging.judge_run(store, opened, chosen, box) if judging else None
    text = f"judged again: {tally.fresh}; without evidence: {tally.left}"
    text += f"; judge: {asked}" if asked else ""
    emit(vars(tally) | ({"judge": vars(asked)} if asked else {}), as_json, text)


@runs.command()
@click.argument("run")
@as_json
def oracles(run: str, as_json: bool) -> None:
    """Compare the offline oracle of RUN with its judge. Prints counts, agreement, kappa, AC1."""
    from kit.core.store import Store
    from kit.run import report

    with Store(run, write=False) as store:
        rows = report.oracle_agreement(store.opinions())
    none = "This run has no verdicts of a judge. Run `kit runs judge RUN --judge SPEC`."
    emit(rows, as_json, none if rows.empty else rows.round(3).to_string(index=False))


@runs.command()
@click.argument("run")
@click.option(
    "--by", default="language", show_default=True, help="Columns to group by (comma-separated)."
)
@as_json
def executed(run: str, by: str, as_json: bool) -> None:
    """Count the executed tests of RUN. Of the others, count the causes.

    A cause is the environment, the harness or the code of the program.
    """
    from kit.core.store import Store
    from kit.run import report as executed_

    with Store(run, write=False) as store:
        rows = executed_.count_executions(store, by=tuple(by.split(",")))
    emit(rows, as_json, rows.round(3).to_string(index=False))


@runs.command()
@click.argument("run")
@click.option("--by", default="", help="Columns to group by (model,cwe); default: the arms'.")
@as_json
def flakes(run: str, by: str, as_json: bool) -> None:
    """List the flaky tests of RUN. With their number, causes and effect on the scores.

    Repeat executions with `--repeat N` of evaluate, validate or run. Scores use the first
    execution of a flaky test; flake_low and flake_high count all flaky tests as failed or passed.
    """
    from kit.core.store import Store
    from kit.run import flakes as flakes_
    from kit.scoring import stats

    with Store(run, write=False) as store:
        columns = [c for c in by.split(",") if c]
        tables = flakes_.build_report(store, by=columns, rng=stats.seed(run))
    emit(tables, as_json, flakes_.format_report(tables))


def print_scores(run: str, suite: Any, tally: str, as_json: bool) -> None:
    """Print the scores of a run that has just finished; as JSON, also every test."""
    from kit.core.store import Store
    from kit.run import export, report
    from kit.scoring import measures

    with Store(run, write=False) as store:
        scores = report.score_run(store, suite)
        lacking = report.never_ran(store)
        endings = report.describe_endings(store)
        detailed = export.read_details(store) if as_json else None
    if detailed is not None:
        cells = detailed[
            [
                "task",
                "model",
                "sample",
                "test",
                "kind",
                "cwe",
                "status",
                "outcome",
                "passed",
                "oracle",
                "reason",
                "sentence",
                "note",
                "evidence",
                "isolation",
                "cached",
            ]
        ]
        data = {"run": run, "tally": tally, "lacking": lacking, "answers": endings}
        return emit({**data, "scores": scores, "tests": cells}, True, "")
    named = shlex.quote(run)
    following = f"To inspect: kit export {named} --html page.html; kit show {named} TASK TEST."
    parts = [
        measures.format_scores(scores),
        *endings,
        report.never_ran_text(lacking),
        f"{tally}; run {run}",
    ]
    return click.echo("\n".join(filter(None, [*parts, following])))


@main.command()
@click.argument("run")
@click.option("--by", default="", help="Columns to group by (model,cwe); default: the arms'.")
@click.option("--k", "ks", default="1", show_default=True, help="Values of k, such as 1,5,10.")
@click.option(
    "--n-boot",
    type=click.IntRange(1, 1_000_000),
    default=5000,
    show_default=True,
    help="Number of bootstrap resamples per interval.",
)
@click.option("--all", "whole", is_flag=True, help="Print all metrics; default: the main three.")
@click.option("--calibration", help="Run of `kit validate` for calibration; default: none.")
@as_json
def score(
    run: str, by: str, ks: str, n_boot: int, whole: bool, calibration: str | None, as_json: bool
) -> None:
    """Print the metrics of RUN. With intervals, counts and bounds; nothing is executed.

    --calibration adds estimates corrected for the oracle's errors and undecided verdicts.
    """
    from kit.core.store import Store
    from kit.run import report
    from kit.run.suites import of_run
    from kit.scoring import measures, worth

    with Store(run, write=False) as store:
        columns = [c for c in by.split(",") if c]
        suite = of_run(store)
        scores = report.score_run(store, suite, by=columns, k=_parse_numbers(ks), n_boot=n_boot)
        if calibration:
            from kit.review.calibration import with_calibrated
            from kit.scoring import stats

            scores = with_calibrated(
                scores,
                store.frame(),
                calibration,
                suite.name,
                k=_parse_numbers(ks),
                rng=stats.seed(run),
                n_boot=n_boot,
            )
        provenance = report.read_provenance(store)
        lacking = report.never_ran(store)
        endings = report.describe_endings(store)
        samples = measures.summarize_samples(store.frames())
    arms = measures.select_arm_columns(samples)
    of_items = worth.measure_worth(samples, arms)
    parts = {"run": run, **provenance, "lacking": lacking, "answers": endings}
    parts |= {"scores": scores, "worth": of_items}
    shown = measures.format_scores(scores, whole=whole or bool(calibration))
    lines = [shown]
    if not samples["label"].any():  # labelled programs are no model's answers
        lines += worth.describe_worth(of_items, arms, worth.choose_axis(samples))
    lines += endings
    lines += [report.never_ran_text(lacking), report.format_provenance(provenance)]
    emit(parts, as_json, "\n".join(filter(None, lines)))


def _parse_numbers(ks: str) -> tuple[int, ...]:
    try:
        return tuple(dict.fromkeys(int(part) for part in ks.split(",")))
    except ValueError:
        raise KitError(f"--k {ks!r} is not a list of whole numbers. Use --k 1,5,10.") from None


record_option = click.option(
    "--record",
    type=click.Path(path_type=Path),
    help="Folder of a recording that the models' answers are added to, for replay:FOLDER.",
)


@main.group()
def task() -> None:
    """Write your own tasks. Create one, draft its tests with models, read the file format."""


@task.command("new")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--suite", default="dualgauge", show_default=True, help="Suite of the new task.")
@as_json
def new_task(folder: Path, suite: str, as_json: bool) -> None:
    """Create a template task in FOLDER. It has tests, fixtures and labelled programs, to edit.

    With --suite codeguard or realsec, the template is a copy of a task of that suite.
    """
    from kit.core.paths import SUITES, read_json
    from kit.systems.dualgauge import authoring

    templates = {p.parent.name: p for p in SUITES.glob("*/begin.json")}  # names what to copy
    if suite not in (*templates, "dualgauge"):
        raise KitError(f"{suite!r} has no template task. Use dualgauge, {', '.join(templates)}.")
    labels = f"{folder}/references"
    if suite == "dualgauge":
        paths = authoring.create_task_folder(folder)
    elif folder.exists():
        raise KitError(f"{folder} exists already. Name another folder, or move it away.")
    else:
        begun = read_json(templates[suite])
        for name in begun["copy"]:
            shutil.copytree(SUITES / suite / name, folder / "tasks" / name)
        paths = sorted(p for p in folder.rglob("*") if p.is_file() and "stubs" not in p.parts)
        labels = str(folder / "tasks" / begun["labels"])
    line = f"kit validate {suite} --data {folder}/tasks --references {labels} --run {folder}/run"
    emit(
        {"files": [str(p) for p in paths], "validate": line},
        as_json,
        "\n".join([*map(str, paths), f"Validate it with: {line}"]),
    )


@task.command()
@click.option("--write", is_flag=True, help="Also write the page and its schema to data/suites.")
def docs(write: bool) -> None:
    """Print the format of a task's files. They are tests.json, with all probes, and labels.json."""
    from kit.core.paths import SUITES, path_to_write
    from kit.systems.dualgauge import authoring

    if write:
        path_to_write(SUITES / "README.md").write_text(authoring.render_page())
        path_to_write(SUITES / "tests.schema.json").write_text(authoring.text_of_schema())
    click.echo(authoring.render_page())
