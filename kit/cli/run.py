"""The commands of the main job: validate, run, judge, score."""

import sys
from pathlib import Path
from typing import Any

import click

from kit.cli.agents import with_bounds
from kit.cli.models import with_judge, with_models
from kit.cli.options import (
    OfLoaded,
    OfSuite,
    as_json,
    box_option,
    configured,
    data_option,
    emit,
    load_tasks,
    main,
    only_option,
    run_option,
    workers_option,
)
from kit.cli.score import show
from kit.errors import KitError


@main.command(cls=OfLoaded)
@click.argument("suite")
@data_option
@only_option
@click.option("--limit", type=click.IntRange(1), help="So many tasks, spread over the suite.")
@click.option("--references", type=click.Path(path_type=Path), help="Folder of the programs.")
@click.option("--language", default="", help="Only programs in this language.")
@run_option
@box_option
@workers_option
@with_models
@as_json
def validate(
    suite: str,
    data: Path | None,
    only: str,
    limit: int | None,
    references: Path | None,
    language: str,
    run_name: str | None,
    tier: str,
    workers: int,
    stages: Any,
    as_json: bool,
    **options: Any,
) -> None:
    """Run the labelled programs of a suite and measure the oracle against their labels.

    With --judge, the judge is measured too, by itself, on the tests that it was asked. A suite
    without labels checks itself in its own way.
    """
    from kit.oracle import calibrate
    from kit.run import second_opinion
    from kit.run import validate as check
    from kit.run.selfcheck import runs_below
    from kit.sandbox import open_sandbox
    from kit.store import Store
    from kit.suite import spread

    opened = configured(suite, options)
    chosen = spread(load_tasks(opened, data, only, every=True), limit)
    folder = references or opened.labels
    run = run_name or "-".join(filter(None, ("validate", opened.name, opened.variant)))
    if checked := opened.selfcheck(chosen, runs_below(run, opened, tier=tier, workers=workers)):
        emit(checked[0], as_json, checked[1])
        sys.exit(not checked[0]["ok"])
    samples, labels = opened.references(chosen, folder)
    samples = [s for s in samples if language in ("", s.language)]
    labels = labels[labels["program"].isin({s.arm["program"] for s in samples})]
    if not samples:
        raise KitError(f"No labelled programs for these tasks in {folder}. Write labels.json.")
    tally, frame = check.execute(run, opened, chosen, samples, tier=tier, workers=workers,
                                 stages=stages)  # fmt: skip
    if tally.left:  # nothing is measured, or kept, of a part
        _go_on(tally, run, as_json, planned=stages.cluster == "later")
    rows = check.joined(labels, frame)
    if not (stages.planning or stages.judging or language):
        check.write_result(opened, chosen, rows, folder)
    with Store(run) as store, open_sandbox(tier, opened.limits) as box:
        more = opened.measured(chosen, samples, rows, box, store)
        opinions = store.opinions() if stages.judging else None
        undecided = check.undecided(rows, store)
    result = {"tally": str(tally), "programs": len(samples), "undecided": undecided}
    result = calibrate.confusion(rows) | result | more[0]
    told = _validation(result) + f"\n{more[1]}" * bool(more[1])
    if opinions is not None:
        result["judge"] = calibrate.confusion(second_opinion.against(rows, opinions))
        told += "\nThe judge by itself, where it was asked:\n" + calibrate.text(result["judge"])
    emit(result, as_json, told)
    odd = {row["test"] for row in [*result["disagreements"], *undecided]}
    if odd - {*opened.measured_tests} and not opened.leaves_out:
        sys.exit(1)


def _go_on(tally: Any, run: str, as_json: bool, *, planned: bool) -> None:
    """Say how a validation goes on that is not whole, and end."""
    mend = f"Next: kit plan {run} FOLDER" if planned else "The same command goes on"
    emit({"tally": vars(tally), "run": run}, as_json, f"{tally}. {mend}.")
    sys.exit(not planned)


def _validation(result: dict[str, Any]) -> str:
    """The result of a validation for a terminal: counts, what is undecided, a suite's own lines."""
    from kit.oracle import calibrate

    lines = [calibrate.text(result), f"{result['programs']} programs, {result['tally']}"]
    lines += [
        f"{u['task']} {u['program']} {u['test']}: label {u['label']}, undecided. {u['sentence']}"
        for u in result["undecided"]
    ]
    shown = {*calibrate.GROUPS, "disagreements", "undecided", "programs", "tally"}
    plain = (int, float, str)
    lines += [f"{k}: {v}" for k, v in result.items() if k not in shown and isinstance(v, plain)]
    return "\n".join(lines)


@main.command()
@click.argument("suite")
@click.argument("run")
@data_option
@box_option
@with_judge
@as_json
def judge(suite: str, run: str, data: Path | None, tier: str, judging: Any, as_json: bool) -> None:
    """Judge the stored evidence of RUN again with today's oracle; nothing is executed."""
    from kit.paths import existing
    from kit.run import pipeline
    from kit.sandbox import open_sandbox
    from kit.store import Store
    from kit.suites import of_run, open_suite

    existing(run)
    with Store(run, write=False) as held:
        same = held.meta().get("suite") == suite
        opened = of_run(held) if same else open_suite(suite)
    with Store(run) as store, open_sandbox(tier, opened.limits) as box:
        chosen = load_tasks(opened, data)
        tally = pipeline.judge(store, opened, chosen, box)
        asked = judging.go(store, opened, chosen, box) if judging else None
    told = f"judged anew {tally.fresh}; without evidence {tally.left}"
    told += f"; judge: {asked}" if asked else ""
    emit(vars(tally) | ({"judge": vars(asked)} if asked else {}), as_json, told)


@main.command(cls=OfSuite)
@click.argument("suite")
@click.option("--model", required=True,
              help="openai:NAME, anthropic:NAME, local, replay:DIR, agent:NAME")  # fmt: skip
@click.option("--base-url", help="Any OpenAI-compatible server.")
@click.option("--key-env", help="Environment variable with that server's key.")
@click.option("--n", "n", type=click.IntRange(1), default=1, show_default=True)
@click.option("--connections", type=click.IntRange(1), default=4, show_default=True,
              help="Questions to the model at once.")  # fmt: skip
@click.option("--timeout", type=click.FloatRange(1), default=600.0, show_default=True,
              help="Seconds for one call.")  # fmt: skip
@click.option("--retries", type=click.IntRange(0), default=3, show_default=True,
              help="Of a call that failed and may succeed.")  # fmt: skip
@click.option("--price", type=float, nargs=2,
              help="US dollars for a million tokens, input and output.")  # fmt: skip
@click.option("--arms", default="", help="Prompts, separated by commas, all in one run.")
@click.option("--limit", type=click.IntRange(1), help="So many tasks, spread over the suite.")
@click.option("--budget", type=float, help="US dollars; stops cleanly before passing it.")
@click.option("--dry-run", is_flag=True, help="Only the forecast of calls, tokens and cost.")
@click.option("--unvalidated", is_flag=True, help="Also tasks whose references misbehave.")
@data_option
@only_option
@run_option
@box_option
@workers_option
@with_models
@with_bounds
@as_json
def run(suite: str, data: Path | None, only: str, arms: str, limit: int | None, unvalidated: bool,
        run_name: str | None, tier: str, workers: int, dry_run: bool, as_json: bool,
        stages: Any, **options: Any) -> None:  # fmt: skip
    """Let a model answer a suite, execute and judge its programs, and print the metrics."""
    from kit.run.job import Job
    from kit.suite import spread

    opened = configured(suite, options)
    chosen = spread(load_tasks(opened, data, only, every=unvalidated), limit)
    arm = {"planner": stages.planning.mode} if stages.planning else {}
    prompts = [name.strip() for name in arms.split(",") if name.strip()]
    job = Job.of(opened, chosen, **options, arm=arm, arms=prompts)
    told = job.forecast()
    click.echo(told, err=True)
    if dry_run:
        if as_json:
            emit({"forecast": told}, True, "")
        return
    _refuse(opened, chosen, unvalidated)
    name = run_name or job.name
    generated, executed, frame = job.go(name, tier=tier, workers=workers, stages=stages)
    tally = f"generate: {generated}; execute: {executed}"
    show(name, opened, frame, tally, as_json)
    if generated.infra:
        said = f"{generated.infra} questions got no answer: {generated.note}"
        click.echo(f"kit: {said}. The same command asks them again.", err=True)
        sys.exit(1)


def _refuse(suite: Any, tasks: list[Any], unvalidated: bool) -> None:
    from kit.run import validate as check

    lines = [] if unvalidated else check.refusals(suite, tasks, suite.labels)
    if lines:
        shown = "\n  ".join(lines[:10])
        raise KitError(f"{len(lines)} tasks are not validated:\n  {shown}\n"
                       "Run `kit validate` first, or pass --unvalidated.")  # fmt: skip
