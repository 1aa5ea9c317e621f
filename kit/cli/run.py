"""The commands that execute programs: `kit validate`, `kit run` and `kit evaluate`."""

import functools
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from kit.cli.options import (
    ExecutionOptions,
    OfLoaded,
    OfSuite,
    add_execution_options,
    emit,
    limit_option,
    load_tasks,
    main,
    open_configured_suite,
    option,
    split_names,
    with_bounds,
)
from kit.cli.parameter_types import FiniteRange, Target
from kit.cli.runs import print_scores
from kit.core.errors import KitError

if TYPE_CHECKING:
    from kit.run.pool import Tally
    from kit.run.suite import Suite

_server = functools.partial(option, heading="Model server", show_default=True)


@main.command(
    cls=OfLoaded,
    first=(
        "only",
        "limit",
        "language",
        "references",
        "data",
        "run_name",
        "tier",
        "workers",
        "as_json",
    ),
)
@click.argument("suite")
@limit_option
@option(
    "--references",
    type=click.Path(path_type=Path),
    help="Folder of labelled programs; by default those shipped with the kit.",
)
@option("--language", default="", help="Use only programs in this language; default: all.")
@add_execution_options
def validate(
    suite: str,
    limit: int | None,
    references: Path | None,
    language: str,
    execution: ExecutionOptions,
    as_json: bool,
    **options: Any,
) -> None:
    """Compare the oracle with the labels of SUITE's programs. The programs are executed.

    With --judge, the judge is also measured separately, on the tests that it was asked about. A
    suite without labels runs its own self-check.
    """
    from kit.core.store import Store
    from kit.oracle import calibrate
    from kit.run import report
    from kit.run import validate as check
    from kit.run.job import runs_below
    from kit.run.suite import pick_tasks_evenly
    from kit.sandbox import open_sandbox

    opened = open_configured_suite(suite, options)
    tasks = load_tasks(opened, execution.data, execution.only, every=True)
    chosen = pick_tasks_evenly(tasks, limit)
    folder = references or opened.labels
    name_parts = ("validate", opened.name_in_runs, opened.variant)
    run = execution.run_name or "-".join(filter(None, name_parts))
    go = runs_below(run, opened, tier=execution.tier, workers=execution.workers)
    if selfcheck := opened.selfcheck(chosen, go):
        emit(selfcheck[0], as_json, selfcheck[1])
        sys.exit(not selfcheck[0]["ok"])
    if not chosen:
        raise KitError("No task could be loaded. Mend what is named above.")
    samples, labels = opened.references(chosen, folder)
    samples = [sample for sample in samples if language in ("", sample.language)]
    labels = labels[labels["program"].isin({sample.arm["program"] for sample in samples})]
    if not samples:
        raise KitError(f"{folder} has no labelled programs for these tasks. Add a labels.json.")
    tally, frame = check.execute(run, opened, chosen, samples, **execution.keyword_arguments)
    if tally.left:  # an incomplete run is neither measured nor recorded as a validation
        _stop_incomplete_run(run, tally, as_json, is_planned=execution.stages.cluster == "later")
    rows = check.join_labels(labels, frame)
    if not (execution.stages.planning or execution.stages.judging or language):
        check.write_result(opened, chosen, rows, folder)
    with Store(run) as store, open_sandbox(execution.tier, opened.limits) as box:
        further, further_text = opened.measured(chosen, samples, rows, box, store)
        opinions = store.opinions()
        rows = check.explain_differences(rows, store)
    result = calibrate.compare_to_labels(rows) | {"tally": str(tally), "programs": len(samples)}
    result |= {"undecided": check.list_undecided_tests(rows), **further}
    text = _describe_validation(result)
    if further_text:
        text += f"\n{further_text}"
    if execution.stages.judging:
        judge = calibrate.compare_to_labels(report.judged_rows(rows, opinions))
        result["judge"] = judge
        text += f"\nThe judge alone, on the tests it was asked:\n{calibrate.format_rates(judge)}"
    emit(result, as_json, text)
    sys.exit(_has_unmeasured_difference(opened, result))


def _stop_incomplete_run(run: str, tally: "Tally", as_json: bool, *, is_planned: bool) -> NoReturn:
    """Say how the run is continued; the exit code is 1 if nobody planned to do so elsewhere."""
    following = f"Next: kit cluster plan {run} FOLDER" if is_planned else "Rerun to continue"
    emit({"tally": vars(tally), "run": run}, as_json, f"{tally}. {following}.")
    sys.exit(not is_planned)


def _has_unmeasured_difference(suite: "Suite", result: Mapping[str, Any]) -> bool:
    """Whether a test differs from its label that the suite does not measure, or set aside."""
    aside = {task.id for task in suite.aside}
    rows = [*result["disagreements"], *result["undecided"]]
    differing = {row["test"] for row in rows if row["task"] not in aside}
    return bool(differing - {*suite.measured_tests}) and not suite.leaves_out


def _describe_validation(result: dict[str, Any]) -> str:
    """The result of a validation as text: counts, undecided tests, the suite's own lines."""
    from kit.oracle import calibrate

    lines = [calibrate.format_rates(result), f"{result['programs']} programs, {result['tally']}"]
    for row in result["undecided"]:
        test = f"{row['task']} {row['program']} {row['test']}"
        lines.append(f"{test}: label {row['label']}, undecided. {row['sentence']}")
    summarized = {*calibrate.GROUPS, "disagreements", "undecided", "programs", "tally"}
    for name, value in result.items():
        if name not in summarized and isinstance(value, (int, float, str)):
            lines.append(f"{name}: {value}")
    return "\n".join(lines)


@main.command(
    cls=OfSuite,
    first=(
        "model",
        "n",
        "only",
        "limit",
        "budget",
        "dry_run",
        "run_name",
        "tier",
        "workers",
        "as_json",
    ),
)
@click.argument("suite")
@option(
    "--model",
    required=True,
    help="Model to measure: openai:NAME, anthropic:NAME, local, local:DIR, local:OWNER/NAME "
    "(Hugging Face cache), replay:DIR, outside:DIR (asked through a file) or agent:NAME.",
)
@_server("--base-url", help="URL of a server with the model's format; default: the provider's.")
@_server(
    "--key-env",
    help="Environment variable that holds the API key; default: OPENAI_API_KEY "
    "or ANTHROPIC_API_KEY, and none with --base-url.",
)
@option(
    "--n",
    "n",
    type=click.IntRange(1),
    help="Number of samples per task; default: 1, or that of a preset.",
)
@option(
    "--seeds",
    type=click.IntRange(1),
    heading="Tasks and prompts",
    help="Number of times that all samples are drawn, each with a seed of its own; default: 1, or "
    "that of a preset.",
)
@_server("--connections", type=click.IntRange(1), default=4, help="Number of concurrent requests.")
@_server(
    "--timeout", type=click.FloatRange(1), default=600.0, help="Time limit per request, in seconds."
)
@_server("--retries", type=click.IntRange(0), default=3, help="Retries after a transient error.")
@_server(
    "--price",
    type=FiniteRange(min=0),
    nargs=2,
    help="US dollars per million input and output tokens; default: prices.csv.",
)
@option(
    "--arms",
    default="",
    heading="Tasks and prompts",
    help="Prompt variants (comma-separated) to run together; default: the suite's own.",
)
@limit_option
@option(
    "--budget",
    type=float,
    help="Cost limit in US dollars; the run stops before it. Default: no limit.",
)
@option("--dry-run", is_flag=True, help="Only forecast calls, tokens and cost; ask no model.")
@option(
    "--unvalidated",
    is_flag=True,
    heading="Tasks and prompts",
    help="Include quarantined tasks, and those whose labelled programs behave differently from "
    "their labels.",
)
@add_execution_options
@with_bounds
def run(
    suite: str,
    arms: str,
    limit: int | None,
    unvalidated: bool,
    dry_run: bool,
    as_json: bool,
    execution: ExecutionOptions,
    **options: Any,
) -> None:
    """Ask a model the tasks of SUITE and judge its programs. They are executed in the sandbox.

    SUITE is a name, or the path of a folder with a suite.py, whose code runs with your rights.
    Rerun the same command to continue a run that was stopped. The exit code is 1 if requests got no
    answer, or if the budget left some unasked.
    """
    from kit.generation import base
    from kit.run import validate as check
    from kit.run.job import Job
    from kit.run.suite import pick_tasks_evenly

    opened = open_configured_suite(suite, options)
    chosen = pick_tasks_evenly(
        load_tasks(opened, execution.data, execution.only, every=unvalidated), limit
    )
    planning = execution.stages.planning
    arm = {"planner": planning.mode} if planning else {}
    job = Job.of(opened, chosen, **options, arm=arm, arms=split_names(arms))
    name = execution.run_name or job.name
    forecast = job.forecast(name)
    click.echo(forecast, err=True)
    if dry_run:
        if as_json:
            emit({"forecast": forecast}, True, "")
        return
    refusals = [] if unvalidated else check.list_refusals(opened, chosen, opened.labels)
    if refusals:
        first = "\n  ".join(refusals[:10])
        raise KitError(
            f"{len(refusals)} tasks have no current validation:\n  {first}\n"
            "Run `kit validate` first, or pass --unvalidated."
        )
    generated, executed, _ = job.go(name, **execution.keyword_arguments)
    print_scores(name, opened, f"generate: {generated}; execute: {executed}", as_json)
    if generated.infra:
        unanswered = f"{generated.infra} requests got no answer: {generated.note}"
        mend = "" if base.PERMANENT in generated.note else " Rerun the command to retry them."
        click.echo(f"kit: {unanswered.removesuffix('.')}.{mend}", err=True)
    if generated.infra or generated.left:
        sys.exit(1)


@main.command(
    cls=OfLoaded,
    first=(
        "programs",
        "model_name",
        "only",
        "skip_bad",
        "run_name",
        "tier",
        "workers",
        "sarif",
        "junit",
        "as_json",
    ),
)
@click.argument("suite")
@click.option(
    "--programs",
    type=click.Path(path_type=Path),
    required=True,
    help="Folder that holds <task id>/<model>.<ext>, or a samples.jsonl.",
)
@click.option(
    "--model-name",
    default="",
    help="Model that wrote all programs; default: each file's name is its model.",
)
@click.option("--skip-bad", is_flag=True, help="Skip files that belong to no task.")
@click.option(
    "--sarif",
    type=Target(),
    help="Write security tests that failed or are undecided to this SARIF file.",
)
@click.option("--junit", type=Target(), help="Write all tests to this JUnit XML file.")
@add_execution_options
def evaluate(
    suite: str,
    programs: Path,
    model_name: str,
    skip_bad: bool,
    sarif: Path | None,
    junit: Path | None,
    execution: ExecutionOptions,
    as_json: bool,
    **options: Any,
) -> None:
    """Execute and judge existing programs. They are <task id>/<model>.<ext>, or a samples.jsonl.

    A further sample of a model is <task id>/<model>/<number>.<ext>; its first one is number 0. A
    line of samples.jsonl is {"task_id": ..., "solution" or "completion": ..., "model": ...,
    "language": ...}.

    With --sarif or --junit the exit code is 1 if a test failed, else 3 after an infrastructure
    failure, else 0. SARIF has security tests alone, JUnit all; what is undecided is a note in the
    first, skipped in the second, and counted on stderr.
    """
    from kit.harness import libraries
    from kit.run.suite import Loaded
    from kit.run.validate import execute, read_programs
    from kit.sandbox import open_sandbox
    from kit.sandbox.base import Installing

    opened = open_configured_suite(suite, options)
    every = load_tasks(opened, execution.data)
    accepted = [*every, *opened.aside]  # programs of quarantined tasks are allowed, but not judged
    chosen = Loaded(suite, tuple(every)).select_tasks(execution.only.split(","))
    ids = {t.id for t in chosen}
    reading: dict[str, Any] = {
        "model": model_name,
        "skip_bad": skip_bad,
        "language": opened.language,
        "completes": opened.completes,
        "read": opened.sample,
    }
    placed = [item for item in read_programs(programs, accepted, **reading) if item[0].task in ids]
    placed = [(opened.take_program(sample), place) for sample, place in placed]
    samples = [sample for sample, _ in placed]
    for sample in samples:
        if sample.note:
            click.echo(f"kit: {sample.task} {sample.model}: {sample.note}", err=True)
    if not samples:
        raise KitError(
            f"{programs} has no programs for {execution.only}. Add files <task id>/<name>.py."
        )
    run = execution.run_name or f"{opened.name_in_runs}-{programs.resolve().name}"
    with open_sandbox(execution.tier) as box:  # warn before the first execution
        codes = [(sample.code, sample.language) for sample in samples]
        absent = {} if isinstance(box, Installing) else libraries.count_absent(box, codes)
    for line in libraries.describe_absent(absent):
        click.echo(f"kit: {line}", err=True)
    tally, _ = execute(run, opened, chosen, samples, **execution.keyword_arguments)
    print_scores(run, opened, str(tally), as_json)
    if sarif or junit:
        sys.exit(_export_checks(run, programs, placed, chosen, sarif, junit))


def _export_checks(
    run: str, programs: Path, placed: Any, tasks: Any, sarif: Path | None, junit: Path | None
) -> int:
    """Write the SARIF and JUnit files, print a summary, return the exit code."""
    from kit.bridges.junit import junit as as_junit
    from kit.bridges.sarif import sarif as as_sarif
    from kit.core.paths import replace_whole
    from kit.core.store import Store, slot_of
    from kit.run import export

    places = {slot_of(sample): place for sample, place in placed}
    with Store(run, write=False) as store:
        checks = export.collect_checks(store, places, programs, tasks)
    if sarif:
        replace_whole(sarif, as_sarif(checks))
    if junit:
        replace_whole(junit, as_junit(checks))
    click.echo(f"kit: {export.summarize_checks(checks)}", err=True)
    return export.exit_code(checks)
