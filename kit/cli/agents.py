"""Options for coding agents, and the report on what they spent their actions on."""

import functools
from collections.abc import Callable
from typing import Any

import click

from kit.cli.options import as_json, emit, main

BOUNDS = (
    click.option("--steps", type=click.IntRange(1), default=60, show_default=True,
                 help="Of a coding agent: actions for one task."),
    click.option("--seconds", type=click.FloatRange(1), default=600.0, show_default=True,
                 help="Of a coding agent: time for one task."),
    click.option("--dollars", type=float, help="Of a coding agent: cost of one task."),
    click.option("--share-net", is_flag=True,
                 help="Give a coding agent the network of this machine, to reach its vendor."),
)  # fmt: skip


def with_bounds(command: Callable[..., Any]) -> Callable[..., Any]:
    """Gives a command the limits of agents as one argument: `bounds`."""

    @functools.wraps(command)
    def call(
        *args: Any, steps: int, seconds: float, dollars: float | None, share_net: bool, **rest: Any
    ) -> Any:
        from kit.generation.agents import Bounds

        return command(*args, bounds=Bounds(steps, seconds, dollars, share_net), **rest)

    for option in reversed(BOUNDS):
        call = option(call)
    return call


@main.command()
@click.argument("run")
@as_json
def actions(run: str, as_json: bool) -> None:
    """What the coding agents of RUN spent their actions on, by agent and language."""
    from kit.generation import effort
    from kit.store import Store

    with Store(run, write=False) as store:
        rows = effort.shares(s for s in store.samples() if s.stream)
    none = f"Run {run!r} holds no answer of a coding agent."
    emit(rows, as_json, none if rows.empty else rows.round(3).to_string(index=False))
