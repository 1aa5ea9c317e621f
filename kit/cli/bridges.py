"""The commands `kit scan`, `kit cluster` and `kit import`."""

import re
import shlex
import sys
from importlib.util import find_spec
from pathlib import Path

import click

from kit.cli.options import (
    KitCommand,
    as_json,
    box_option,
    data_option,
    emit,
    load_tasks,
    main,
)
from kit.cli.parameter_types import Target
from kit.core.errors import KitError

SQLITE = b"SQLite format 3\0"


@main.group()
def cluster() -> None:
    """Execute a run on a batch system.

    Plan batches of executions, execute them anywhere, merge the results.
    """


@cluster.command()
@click.argument("run")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--size",
    type=click.IntRange(1),
    default=500,
    show_default=True,
    help="Number of executions per batch.",
)
@click.option(
    "--jobs",
    type=click.IntRange(1),
    default=1000,
    show_default=True,
    help="Maximum number of array jobs (Slurm: MaxArraySize - 1).",
)
@data_option
@box_option
def plan(run: str, folder: Path, size: int, jobs: int, data: Path | None, tier: str) -> None:
    """Write the pending executions of RUN to FOLDER. It gets batches of them, and job scripts."""
    from kit.core.paths import replace_whole, require_run
    from kit.core.store import Store
    from kit.run import cluster
    from kit.run.pool import Tally
    from kit.run.suites import of_run
    from kit.sandbox import open_sandbox

    if folder.exists() and any(folder.iterdir()):
        raise KitError(f"{folder} is not empty. Merge its batches first, or name another folder.")
    require_run(run)
    with Store(run) as store:
        suite = of_run(store)
        tasks = load_tasks(suite, data)
        folder.mkdir(parents=True, exist_ok=True)
        total = Tally()
        count = 0
        with open_sandbox(tier, suite.limits) as box:
            rounds = cluster.find_missing_trials(store, suite, tasks, box, total)
            for count, part in enumerate(cluster.split_into_units(rounds, size), 1):  # noqa: B007
                unit = cluster.pack_unit(store, suite, tasks, box, part)
                replace_whole(folder / f"unit-{count:04}.sqlite", unit)
                total.left += len(part)
    if count:
        names = {"tier": shlex.quote(tier), "folder": shlex.quote(str(folder.resolve()))}
        kit = f"{shlex.quote(sys.executable)} -m kit.cli"  # a job's PATH may lack the kit command
        for name in ("array.sbatch", "job.yaml"):
            text = Path(cluster.__file__).with_name(name).read_text(encoding="utf-8")
            replace_whole(folder / name, text.format(kit=kit, n=min(count, jobs), **names))
    click.echo(
        f"{count} batches of {total.left} executions in {folder}; {total.cached} tests are stored. "
        f"Next: kit cluster work {folder} --shard I/N; then kit cluster merge {run} {folder}."
    )


@cluster.command()
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option(
    "--shard", default="1/1", show_default=True, help="I/N: execute batches I, I + N, I + 2N, ..."
)
@data_option
@box_option
def work(folder: Path, shard: str, data: Path | None, tier: str) -> None:
    """Execute the batches in FOLDER. A batch's file receives its results when it is complete."""
    from kit.core.paths import replace_whole
    from kit.run import cluster

    match = re.fullmatch(r"(\d+)/(\d+)", shard)
    if not match or not 1 <= int(match[1]) <= int(match[2]):
        raise KitError(f"--shard {shard!r} is not I/N with I from 1 to N. Write it as 3/8.")
    paths = _list_units(folder)[int(match[1]) - 1 :: int(match[2])]
    for path in paths:
        file, tally = cluster.execute_unit(path.read_bytes(), data=data, tier=tier)
        replace_whole(path, file)
        click.echo(f"{path.name}: {tally}")
    if not paths:
        click.echo(f"Shard {shard} has no batch.")


@cluster.command()
@click.argument("run")
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
def merge(run: str, folder: Path) -> None:
    """Merge the results of FOLDER's batches into RUN. This may be repeated, in any order."""
    from kit.core.store import Store
    from kit.run import cluster

    with Store(run) as store:
        counts = [cluster.merge_unit(store, path.read_bytes()) for path in _list_units(folder)]
    new, differing, pending = map(sum, zip(*counts, strict=True))
    click.echo(f"{new} new results; {differing} differ from stored ones (`kit runs flakes {run}`).")
    if pending:
        click.echo(f"kit: {pending} executions are pending: kit cluster work {folder}", err=True)


def _list_units(folder: Path) -> list[Path]:
    paths = sorted(folder.glob("unit-*.sqlite"))
    for path in paths:
        with path.open("rb") as file:
            if file.read(len(SQLITE)) != SQLITE:
                raise KitError(f"{path} is not a batch of `kit cluster plan`. Move it away.")
    if paths:
        return paths
    raise KitError(f"No batches in {folder}. Make them with `kit cluster plan RUN {folder}`.")


@main.group("import")
def import_() -> None:
    """Import results of other tools as a recording."""


@import_.command("answers")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.argument("folder")
@click.option("--served-by", default="", help="Who answered; default: what FILE says.")
@as_json
def import_answers(file: Path, folder: str, served_by: str, as_json: bool) -> None:
    """Put answers from elsewhere on record. Their questions are in FOLDER/questions.jsonl.

    A command with the model outside:FOLDER wrote them there. FILE has one {"key": ..., "answer":
    ...} a line, with `model` if several were asked, and as far as they are known finish_reason,
    served_model, input_tokens, output_tokens, created and refused.
    """
    from kit.generation import outside

    count, waiting = outside.import_answers(file, folder, served_by=served_by)
    text = f"{count} answers on record in {folder}, {waiting} questions open"
    emit({"answers": count, "open": waiting}, as_json, text)


@import_.command("programs")
@click.argument("suite")
@click.argument("clone", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.argument("folder")
@as_json
def import_programs(suite: str, clone: Path, folder: str, as_json: bool) -> None:
    """Put the programs in CLONE on record in FOLDER.

    FOLDER/results.csv is what their tests gave there. SUITE says where CLONE keeps them. `kit run
    SUITE --model replay:FOLDER#MODEL` tests them here.
    """
    from kit.core.paths import run_folder
    from kit.generation import replay
    from kit.run.suites import open_suite

    samples, results = open_suite(suite).recorded_programs(clone)
    place = replay.write_recording(run_folder(folder), samples, settings={})
    results.to_csv(place / "results.csv", index=False)
    text = f"{len(samples)} programs and {len(results)} results on record in {place}"
    emit({"programs": len(samples), "results": len(results)}, as_json, text)


@import_.command("inspect-log", cls=KitCommand)
@click.argument("log", type=click.Path(path_type=Path))
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--suite", default="dualgauge", show_default=True, help="Suite that the answers belong to."
)
@as_json
def inspect_log(log: Path, folder: Path, suite: str, as_json: bool) -> None:
    """Convert the answers in an Inspect log to a recording.

    LOG is an .eval file; FOLDER gets the recording. Then `kit run SUITE --model replay:FOLDER`
    executes and judges it.
    """
    if find_spec("inspect_ai") is None:
        raise KitError("Inspect is not installed. Type: pip install 'securecode-kit[inspect]'")
    from kit.bridges import inspect_bridge

    count = inspect_bridge.write_recording(log, suite, folder)
    text = f"{count} answers; type: kit run {suite} --model replay:{folder}"
    emit({"answers": count, "folder": str(folder)}, as_json, text)


@main.command(cls=KitCommand)
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--labels",
    type=click.Path(path_type=Path),
    metavar="FILE.csv",
    help="CSV with the columns file, cwe (empty: secure) and line, to measure precision "
    "and recall. Default: no labels.",
)
@click.option(
    "--engine",
    default="best",
    show_default=True,
    help="best (best installed per language), all, or names (a,b).",
)
@click.option(
    "--rules",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Your opengrep or semgrep rules (YAML); default: the kit's.",
)
@click.option("--sarif", type=Target(), help="Write findings to this SARIF file.")
@click.option("--table", type=Target(), help="Write findings to this CSV file.")
@click.option("--page", type=Target(), help="Write a report to this HTML file.")
@as_json
def scan(
    folder: Path,
    labels: Path | None,
    engine: str,
    rules: Path | None,
    sarif: Path | None,
    table: Path | None,
    page: Path | None,
    as_json: bool,
) -> None:
    """Scan the programs in FOLDER with static analysis. With --labels, measure its accuracy.

    Reads Python, C and Java, and with --rules also C++ and JavaScript, one file at a time in the
    sandbox. A file that no engine read, or a CWE without a rule, is reported and never counted as
    secure. With --sarif the exit code is 1 if there is a finding by a rule that is mostly right on
    the kit's own programs (an error; others are warnings), else 3 if a file was not read, else 0.
    """
    from kit.bridges import scan
    from kit.bridges.sarif import sarif as as_sarif
    from kit.core.paths import replace_whole
    from kit.oracle.sast import read_rules
    from kit.sandbox import open_sandbox

    programs, labelled = (
        scan.read_labelled_folder(labels, folder) if labels else (scan.read_folder(folder), [])
    )
    with open_sandbox("bwrap") as box:
        result = scan.run_engines(programs, engine, box, read_rules(rules) if rules else None)
    rows = scan.compare_with_labels(result, labelled)
    scores = scan.measure_findings(rows)
    checks = scan.list_checks(result)
    every = scan.tabulate_findings(checks)
    parts = scan.make_template_values(result, every, rows, scores)
    if table:
        replace_whole(table, every.to_csv(index=False))
    if page:
        replace_whole(page, scan.render_template("scan.html.j2", parts))
    data = {"findings": every, "scores": scores, "labels": rows}
    emit(data, as_json, scan.render_template("scan.j2", parts))
    if sarif:
        replace_whole(sarif, as_sarif(checks))
        sys.exit(scan.exit_code(checks))
