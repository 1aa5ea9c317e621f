"""The `kit` command, with its commands demo, doctor, tasks, show, export and reproduce."""

import contextlib
import json
import shutil
import sys
from pathlib import Path
from typing import Any

import click

# Importing these modules adds their commands.
import kit.cli.bridges
import kit.cli.course
import kit.cli.instances
import kit.cli.oracle
import kit.cli.published
import kit.cli.run
import kit.cli.runs
import kit.cli.tasks  # noqa: F401
from kit.cli.options import (
    OfLoaded,
    as_json,
    box_option,
    data_option,
    emit,
    load_tasks,
    main,
    open_configured_suite,
    split_names,
    workers_option,
)
from kit.cli.parameter_types import Target
from kit.core.errors import KitError

DEMO = ("k01", "k13", "k16")  # small tasks with labelled programs of all four kinds


@main.command()
@click.option(
    "--page", type=Target(), default="demo.html", show_default=True, help="HTML file to write."
)
@box_option
@workers_option
@as_json
def demo(page: Path, tier: str, workers: int, as_json: bool) -> None:
    """Run labelled programs of three tasks in the sandbox. Print scores and write a page.

    No model is used. The programs were written to be secure, insecure, wrong, or safe because they
    do nothing. Their labels are the ground truth that the oracle's verdicts are compared with.
    """
    from kit.core.paths import run_path
    from kit.core.store import Store
    from kit.explore import page as page_
    from kit.oracle import calibrate
    from kit.run import report, validate
    from kit.run.suites import open_suite
    from kit.scoring import measures

    suite = open_suite("dualgauge")
    tasks = suite.load().select_tasks(DEMO)
    samples, labels = suite.references(tasks, suite.labels)
    samples = [sample for sample in samples if sample.language == "python"]
    tally, frame = validate.execute("demo", suite, tasks, samples, tier=tier, workers=workers)
    with Store("demo", write=False) as store:
        scores = report.score_run(store, suite)
    programs = {sample.arm["program"] for sample in samples}
    rows = validate.join_labels(labels[labels["program"].isin(programs)], frame)
    page_.write_html("demo", page)
    summary: dict[str, Any] = calibrate.compare_to_labels(rows)
    run = str(run_path("demo").parent)
    more = {"tally": str(tally), "page": str(page.resolve()), "run": run}
    lines = [measures.format_scores(scores), "", "The oracle against the labels of these programs:"]
    lines += [calibrate.format_rates(summary), "", f"{tally}; run {run}", f"Open {page.resolve()}"]
    emit(summary | more | {"scores": scores.to_dict("records")}, as_json, "\n".join(lines))


@main.command()
@click.argument("folder", type=click.Path(path_type=Path), default="notebooks")
@as_json
def notebooks(folder: Path, as_json: bool) -> None:
    """Copy the kit's notebooks to FOLDER. It must not exist yet; the default is notebooks."""
    from kit.core.paths import NOTEBOOKS

    if folder.exists():
        raise KitError(f"{folder} exists already. Name another folder, or move it away.")
    shutil.copytree(NOTEBOOKS, folder, ignore=shutil.ignore_patterns(".ipynb_checkpoints"))
    count = len(list(folder.rglob("*.ipynb")))
    text = f"Copied {count} notebooks to {folder}. Type: jupyter lab {folder / '00_tour.ipynb'}"
    emit({"notebooks": count, "folder": str(folder)}, as_json, text)


@main.command()
@as_json
@click.option("--install", is_flag=True, help="Install missing packages (apt needs root or sudo).")
@click.option("--heavy", is_flag=True, help="With --install: also Docker, Java, semgrep, agents.")
def doctor(as_json: bool, install: bool, heavy: bool) -> None:
    """List installed and missing dependencies. Each with its purpose, and how to install it."""
    from kit.cli import doctor as clinic

    rows = clinic.list_dependencies()
    if install:
        click.echo(clinic.install_from_apt(rows, heavy=heavy))
        for line in clinic.install_from_registries(rows, heavy=heavy):
            click.echo(line)
        return
    lines = []
    for row in rows:
        if row.found:
            lines.append(("ok", row.kind, row.name, row.found))
        else:
            lines.append(("--", row.kind, row.name, f"{row.gives}; {row.install}"))
    emit(list(map(vars, rows)), as_json, lines)


@main.command(cls=OfLoaded)
@click.argument("suite", default="")
@data_option
@as_json
def tasks(suite: str, data: Path | None, as_json: bool, **options: Any) -> None:
    """List the tasks of SUITE; without SUITE, the suites."""
    if not suite:
        from kit.run.suites import describe_suites

        texts = describe_suites()
        suites = [{"suite": name, "tasks are": text} for name, text in texts.items()]
        emit(suites, as_json, texts.items())
        return
    rows = []
    lines = []
    for task in load_tasks(open_configured_suite(suite, options), data):
        kinds = [test.kind for test in task.tests]
        functional = kinds.count("functional")
        security = kinds.count("security")
        row = {
            "task": task.id,
            "domain": task.domain,
            "functional": functional,
            "security": security,
            "cwe": sorted({test.cwe for test in task.tests} - {""}),
            "title": task.title or " ".join(task.prompt.split())[:60],
        }
        rows.append(row)
        counts = (f"{functional:3} fc", f"{security:3} sec")
        lines.append((task.id, task.domain, *counts, row["title"]))
    emit(rows, as_json, lines)
    if not rows:
        sys.exit(1)  # no item could be read; stderr lists the problems


@main.command()
@click.argument("run")
@click.argument("task")
@click.argument("test", default="")
@click.option(
    "--sample", default="", help="Number of the sample, or words of its first line; default: all."
)
@as_json
def show(run: str, task: str, test: str, sample: str, as_json: bool) -> None:
    """Print the programs of TASK in RUN and their verdicts. With TEST, also its evidence."""
    from kit.core.store import Store
    from kit.run import report

    with Store(run, write=False) as store:
        samples = report.collect_samples(store, task, test, sample)
    emit(samples, as_json, report.format_samples(samples))


@main.command()
@click.argument("names", metavar="RUN [TARGET]", nargs=-1, required=True)
@click.option(
    "--html",
    "page",
    type=Target(),
    help="Write one self-contained HTML page instead; of several RUNs: their scores side by side.",
)
@click.option(
    "--answers",
    type=click.Path(path_type=Path),
    help="Write the answers of all models, also as judge, planner or panel, as a recording in "
    "this folder instead.",
)
@click.option("--only", default="", help="Tasks on the page (comma-separated); default: all.")
@data_option
@as_json
def export(
    names: tuple[str, ...],
    page: Path | None,
    answers: Path | None,
    only: str,
    data: Path | None,
    as_json: bool,
) -> None:
    """Write runs to a table, a page or a recording.

    Several runs of one suite are one page. TARGET ends in .parquet, .csv or .jsonl, and has one row
    per test of each program.
    """
    run, *others = names
    if (page and answers) or (not page and len(others) != (not answers)):
        raise click.UsageError("Give one of TARGET (a table), --html FILE and --answers FOLDER.")
    if page and others and (only or data):
        raise click.UsageError("A page of several runs shows no task: drop --only and --data.")
    if answers:
        from kit.run.export import write_answers

        count = write_answers(run, answers)
        text = f"{count} answers in {answers}"
        emit({"answers": count, "folder": str(answers)}, as_json, text)
    elif page and others:
        from kit.explore.board import write_board

        count = write_board(names, page)
        text = f"{count} arms of {len(names)} runs in {page}"
        emit({"arms": count, "file": str(page)}, as_json, text)
    elif page:
        from kit.explore.page import write_html as write_page

        count = write_page(run, page, tasks=data, only=split_names(only))
        emit({"samples": count, "file": str(page)}, as_json, f"{count} samples in {page}")
    else:
        from kit.run.export import write_rows as write

        (target,) = others
        count = write(run, Path(target))
        emit({"rows": count, "file": str(target)}, as_json, f"{count} rows in {target}")


@main.command()
@click.argument("patterns", nargs=-1)
@workers_option
@click.option(
    "-p",
    "--parameter",
    "pairs",
    nargs=2,
    multiple=True,
    help="Set a notebook parameter: NAME VALUE (JSON). May be repeated.",
)
@as_json
def reproduce(
    patterns: tuple[str, ...], workers: int, pairs: tuple[tuple[str, str], ...], as_json: bool
) -> None:
    """Execute all notebooks, or those that match PATTERNS. A pattern is 'dualgauge/*'."""
    from kit.run import books

    parameters: dict[str, Any] = dict(pairs)
    for name, value in pairs:
        with contextlib.suppress(ValueError):  # a value that is not JSON is a string
            parameters[name] = json.loads(value)
    rows = books.reproduce(patterns or ("*",), workers=workers, parameters=parameters)
    emit(rows, as_json, books.format_rows(rows))
    if not all(row["ok"] for row in rows):
        sys.exit(1)


if __name__ == "__main__":
    main()
