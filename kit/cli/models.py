"""Options that let models plan and judge; the reports on what was executed and who agrees."""

import functools
from collections.abc import Callable
from typing import Any

import click

from kit.cli.options import as_json, emit, main

JUDGE = (
    click.option("--judge", help="A model for what is left undecided: SPEC or SPEC@URL, such as "
                 "openai:NAME@http://localhost:8000/v1."),
    click.option("--judge-samples", type=click.IntRange(1), default=1, show_default=True,
                 help="Independent answers; more than half must agree."),
    click.option("--judge-temperature", type=float, help="Sent only when given."),
    click.option("--judge-budget", type=float, help="US dollars."),
    click.option("--resolver", default="installed", show_default=True,
                 help="Looks interfaces up for the judge: none, installed (in the box), or a model "
                 "with web search."),
    click.option("--beside", is_flag=True, help="Ask the judge for every test, to compare."),
)  # fmt: skip
PLANNER = (
    click.option("--planner", type=click.Choice(["parse", "llm", "parse-then-llm"]),
                 default="parse", show_default=True, help="Who finds out how a program is called."),
    click.option("--planner-model", help="SPEC or SPEC@URL of the planner."),
    click.option("--planner-budget", type=float, help="US dollars."),
    click.option("--repeat", type=click.IntRange(1), default=1, show_default=True,
                 help="Execute each test so often; `kit flakes RUN` says what differed."),
    click.option("--cluster", default="",
                 help="Execute elsewhere: local:N, tcp://HOST:PORT, slurm:JOBS, or later."),
)  # fmt: skip


def with_judge(command: Callable[..., Any]) -> Callable[..., Any]:
    """Gives a command the options of the judge, as one argument: `judging`, None without one."""

    @functools.wraps(command)
    def call(
        *args: Any,
        judge: str | None,
        judge_samples: int,
        judge_temperature: float | None,
        judge_budget: float | None,
        resolver: str,
        beside: bool,
        **rest: Any,
    ) -> Any:
        from kit.run.judging import Judging

        options = (judge_samples, judge_temperature, resolver, judge_budget, beside)
        return command(*args, judging=Judging(judge, *options) if judge else None, **rest)

    return _with(JUDGE, call)


def with_models(command: Callable[..., Any]) -> Callable[..., Any]:
    """Gives a command the options of judge, planner and repeats, as one argument: `stages`."""

    @functools.wraps(command)
    def call(
        *args: Any,
        judging: Any,
        planner: str,
        planner_model: str | None,
        planner_budget: float | None,
        repeat: int,
        cluster: str,
        **rest: Any,
    ) -> Any:
        from kit.run.stages import Planning, Stages

        planning = None
        if planner != "parse":
            planning = Planning(planner, planner_model or "", planner_budget)
        return command(*args, stages=Stages(planning, judging, repeat, cluster), **rest)

    return with_judge(_with(PLANNER, call))


def _with(options: tuple[Any, ...], call: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(options):
        call = option(call)
    return call


@main.command()
@click.argument("run")
@as_json
def oracles(run: str, as_json: bool) -> None:
    """Offline oracle and judge of RUN side by side: counts, agreement, kappa, AC1."""
    from kit.run import second_opinion
    from kit.store import Store

    with Store(run, write=False) as store:
        rows = second_opinion.beside(store.opinions())
    none = "No judge gave an opinion. Run `kit judge SUITE RUN --judge SPEC --beside`."
    emit(rows, as_json, none if rows.empty else rows.round(3).to_string(index=False))


@main.command()
@click.argument("run")
@click.option("--by", default="language", show_default=True, help="Columns, by commas.")
@as_json
def executed(run: str, by: str, as_json: bool) -> None:
    """How many tests of RUN were executed, and where it failed: environment, harness or code."""
    from kit.run import executed as executed_
    from kit.store import Store

    with Store(run, write=False) as store:
        rows = executed_.report(store, by=tuple(by.split(",")))
    emit(rows, as_json, rows.round(3).to_string(index=False))
