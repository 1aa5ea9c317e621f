"""The group of all commands, the options that several share, and how results are printed."""

import errno
import functools
import json
import math
import os
import re
import sqlite3
import sys
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import Field, fields, replace
from pathlib import Path
from typing import Any

import click

from kit import rings
from kit.errors import KitError

FULL = (errno.ENOSPC, errno.EDQUOT)
BARRED = (errno.EACCES, errno.EPERM, errno.EROFS, errno.EISDIR, errno.ENOTDIR, errno.EEXIST,
          errno.ENOENT, errno.ENAMETOOLONG, errno.ELOOP)  # fmt: skip


class Group(click.Group):
    """Its own commands and those that rings announce; a user's mistake becomes one sentence.

    An interrupt becomes a way to go on. A name of several words, as `validate oracle`, goes before
    the command that is its first word.
    """

    group_class = type  # groups inside are such groups too

    @property
    def _before(self) -> str:
        return "" if self.name in (None, "main", "kit") else f"{self.name} "

    def list_commands(self, ctx: click.Context) -> list[str]:
        announced = (
            name.removeprefix(self._before)
            for name in rings.announced("kit.commands")
            if name.startswith(self._before)
        )
        return sorted({n for n in (*super().list_commands(ctx), *announced) if " " not in n})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        command, name = super().get_command(ctx, cmd_name), f"{self._before}{cmd_name}"
        if command is None and name in rings.announced("kit.commands"):
            command = rings.load("kit.commands", name)
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        for words in (3, 2):
            name = " ".join(args[:words])
            if command := self.get_command(ctx, name):
                return name, command, args[words:]
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except KitError as error:
            click.echo(f"kit: {error}", err=True)
            ctx.exit(2)
        except KeyboardInterrupt:
            click.echo("\nkit: stopped; what is done is kept. The same command goes on.", err=True)
            if any("ThreadPoolExecutor" in t.name for t in threading.enumerate()):
                sys.stdout.flush()
                os._exit(130)  # a call that hangs would be waited for at the interpreter's end
            ctx.exit(130)
        except _database_errors() as error:
            sentence, code = _of_database(error)
            click.echo(f"kit: {sentence}", err=True)
            ctx.exit(code)
        except BrokenPipeError:
            sys.stderr.close()
            ctx.exit(0)
        except OSError as error:
            if error.errno not in (*FULL, *BARRED):
                raise
            mend = "Free some disk" if error.errno in FULL else "Name another file or folder"
            click.echo(f"kit: {error}. {mend}; the same command goes on.", err=True)
            ctx.exit(74 if error.errno in FULL else 2)


def _database_errors() -> tuple[type[Exception], ...]:
    """What SQLite and pandas raise; pandas is slow to import, and only asked if it is there."""
    pandas = sys.modules.get("pandas")
    return (sqlite3.DatabaseError, *((pandas.errors.DatabaseError,) if pandas else ()))


def _of_database(error: Exception) -> tuple[str, int]:
    """The sentence and the exit code for a file of a run that SQLite cannot read or write."""
    message = " ".join(str(error.__cause__ or error).split())
    if "malformed" in message or "not a database" in message:
        return f"The run's file is damaged ({message}). Move it away; its command makes it anew.", 2
    mend, code = "See that you may write it, or choose another with --run", 2
    if "full" in message or "I/O" in message:
        mend, code = "Free some disk; the same command goes on", 74
    return f"The run's file could not be used ({message}). {mend}.", code


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="securecode-kit")
def main() -> None:
    """Is model-written code both correct and secure? Generate, execute, judge, measure."""


class Option(click.Option):
    """An option that stands under a heading where its command says which options come first."""

    def __init__(self, *names: Any, heading: str = "", **attributes: Any) -> None:
        super().__init__(*names, **attributes)
        self.heading = heading


class Command(click.Command):
    """A command whose help shows the options of `first`, then the others under their headings.

    first: names of parameters, in order; without it all options stand in one list.
    """

    def __init__(self, *args: Any, first: Sequence[str] = (), **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.first = first

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options to the help."""
        place = {name: number for number, name in enumerate(self.first)}
        sections: dict[str, list[tuple[str, str]]] = {"Options": []}
        for param in sorted(
            self.get_params(ctx), key=lambda p: place.get(p.name or "", len(place))
        ):
            listed = not self.first or param.name in place
            heading = "Options" if listed else getattr(param, "heading", "") or "Options"
            if isinstance(param, click.Option) and (record := param.get_help_record(ctx)):
                sections.setdefault(heading, []).append(record)
        for heading, records in sections.items():
            with formatter.section(heading):
                formatter.write_dl(records)


Group.command_class = Command
option = functools.partial(click.option, cls=Option)
as_json = option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
data_option = option("--data", type=click.Path(path_type=Path), heading="What is asked",
                     help="Folder of the suite's tasks; the kit's own by default.")  # fmt: skip
only_option = option("--only", default="", heading="What is asked",
                     help="Task ids, separated by commas; all where it is left out.")  # fmt: skip
limit_option = option("--limit", type=click.IntRange(1), heading="What is asked",
                      help="So many tasks, spread over the suite; all by default.")  # fmt: skip
run_option = option("--run", "run_name", help="Name or folder of the run; else a name is made.")
workers_option = option("--workers", type=click.IntRange(1), default=2, show_default=True,
                        heading="Execution", help="Things done at once.")  # fmt: skip


def gathers(
    argument: str, options: Mapping[str, Any], make: Callable[..., Any]
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Gives a command the options, and what `make` makes of their values as one argument.

    options: parameter -> the option, or None for one that the command has from elsewhere.
    """

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def call(*args: Any, **values: Any) -> Any:
            gathered = make(**{name: values.pop(name) for name in options})
            return command(*args, **{argument: gathered}, **values)

        for add in reversed([add for add in options.values() if add is not None]):
            call = add(call)
        return call

    return decorate


def _tier(tier: str, requirements: Path | None) -> str:
    if requirements is None:
        return tier
    from kit.harness.libraries import installed

    return f"{tier}:{installed(requirements)}"


box_option = gathers("tier", {
    "tier": option("--sandbox", "tier", default="bwrap", show_default=True, heading="Execution",
                   help="bwrap, docker, or bare (no isolation)."),
    "requirements": option("--requirements", type=click.Path(path_type=Path), heading="Execution",
                           help="Libraries for programs, as wheels or npm's: a requirements.txt or "
                           "package.json; none by default."),
}, _tier)  # fmt: skip


def emit(data: Any, as_json: bool, text: str | Iterable[Iterable[Any]]) -> None:
    """Print `data`, which may hold tables, as JSON; or `text`, which may be rows of cells.

    JSON has no word for a number that is none but null.
    """
    if not (as_json or isinstance(text, str)):
        from kit.run.report import columns

        text = columns(text)
    click.echo(json.dumps(_finite(data), indent=1, default=str) if as_json else text)


def _finite(data: Any) -> Any:
    if hasattr(data, "to_json"):  # a table; who makes one has imported pandas
        data = json.loads(data.to_json(orient="records"))
    if isinstance(data, dict):
        return {key: _finite(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_finite(value) for value in data]
    return None if isinstance(data, float) and not math.isfinite(data) else data


def load_tasks(suite: Any, data: Path | None, only: str = "", *, every: bool = False) -> list[Any]:
    """The tasks of a suite; what is wrong with chosen items is said on stderr, the others load.

    every: also those that are quarantined, or of a foreign suite whose own references misbehave.
    """
    loaded = suite.load(data)
    if every:
        loaded = replace(loaded, tasks=(*loaded.tasks, *suite.aside))
    if suite.leaves_out and not every:
        from kit.run import validate

        loaded = validate.fit(suite, loaded)
    names = [name.strip() for name in only.split(",") if name.strip()]
    for problem in loaded.problems:
        if not names or re.split("[/ ]", problem)[0] in names:
            click.echo(f"kit: {problem}", err=True)
    chosen: list[Any] = loaded.chosen(names)
    return chosen


class OfSuite(Command):
    """A command whose first word is a suite: the fields of its Settings are options too."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        from kit.suites import names

        ours = set(names())
        ctx.meta["suite"] = next((a for a in args if a in ours), "") or next(
            filter(is_suite, args), ""
        )
        return super().parse_args(ctx, args)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        from kit.suites import open_suite

        name = ctx.meta.get("suite", "")
        own = super().get_params(ctx)
        return [*own, *self.further(open_suite(name))] if name else own

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Say where the settings of a suite are, unless they are shown."""
        if not ctx.meta.get("suite"):
            formatter.write_paragraph()
            formatter.write_text(f"A suite adds options: {ctx.command_path} SUITE --help")
        super().format_epilog(ctx, formatter)

    def further(self, suite: Any) -> list[click.Parameter]:
        """The options that the suite adds."""
        return settings_options(suite)


class OfLoaded(OfSuite):
    """A command that asks no model: of the settings those that say what is loaded or decides."""

    def further(self, suite: Any) -> list[click.Parameter]:
        return [o for o in settings_options(suite) if o.name in suite.loading]


def configured(name: str, options: dict[str, Any]) -> Any:
    """The suite of this name, as the options among its settings ask for it."""
    from kit.suites import open_suite

    suite = open_suite(name)
    names = {f.name for f in fields(suite.Settings)}
    return suite.configured(suite.Settings(**{k: v for k, v in options.items() if k in names}))


def is_suite(word: str) -> bool:
    """Is it the name of a suite: a known one's, or module:Class of somebody's own?"""
    from kit.suites import names

    return word in names() or re.fullmatch(r"[\w.]+:[A-Z]\w*", word) is not None


def settings_options(suite: Any) -> list[click.Parameter]:
    """The fields of a suite's Settings dataclass as options of a command."""
    return [
        Option(
            [f"--{f.name.replace('_', '-')}"],
            type=_type(f),
            default=f.default,
            show_default=f.default not in (None, ""),
            is_flag=f.type in (bool, "bool"),
            help=f.metadata.get("help", ""),
            heading=f"Settings of {suite.name}",
        )
        for f in fields(suite.Settings)
    ]


def _type(field: Field[Any]) -> Any:
    """click's type for a field: a number within its bounds, or one of its choices."""
    bounds: dict[str, Any] = {"min": field.metadata.get("least"), "max": field.metadata.get("most")}
    kind = str(getattr(field.type, "__name__", field.type)).partition(" ")[0]
    if choices := field.metadata.get("choices"):
        return click.Choice(choices)
    if kind == "bool":
        return bool
    if kind == "int":
        return click.IntRange(**bounds) if any(b is not None for b in bounds.values()) else int
    return FiniteRange(**bounds) if kind == "float" else str


class FiniteRange(click.FloatRange):
    """A number within bounds; NaN is within none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is no number.", param, ctx)
        return number


def _judging(judge: str | None, judge_samples: int, judge_temperature: float | None,
             judge_budget: float | None, resolver: str, beside: bool) -> Any:  # fmt: skip
    from kit.run.stages import Judging

    options = (judge_samples, judge_temperature, resolver, judge_budget, beside)
    return Judging(judge, *options) if judge else None


def _stages(judging: Any, planner: str, planner_model: str | None, planner_budget: float | None,
            repeat: int, cluster: str) -> Any:  # fmt: skip
    from kit.run.stages import Planning, Stages

    planning = None
    if planner != "parse":
        planning = Planning(planner, planner_model or "", planner_budget)
    return Stages(planning, judging, repeat, cluster)


def _bounds(steps: int, seconds: float, dollars: float | None, share_net: bool) -> Any:
    from kit.generation.base import Bounds

    return Bounds(steps, seconds, dollars, share_net)


_judge, _plan, _execute, _agent = (
    functools.partial(option, heading=heading, show_default=True)
    for heading in ("A model as judge", "A model as planner", "Execution", "A coding agent")
)
with_judge = gathers("judging", {  # None without a judge
    "judge": _judge("--judge", help="A model for what is left undecided: SPEC or SPEC@URL, such as "
                    "openai:NAME@http://localhost:8000/v1; none by default."),
    "judge_samples": _judge("--judge-samples", type=click.IntRange(1), default=1,
                            help="Independent answers; more than half must agree."),
    "judge_temperature": _judge("--judge-temperature", type=float, help="Sent only when given."),
    "judge_budget": _judge("--judge-budget", type=float,
                           help="US dollars for the judge; no limit by default."),
    "resolver": _judge("--resolver", default="installed",
                       help="Looks interfaces up for the judge: none, installed (in the box), or a "
                       "model with web search."),
    "beside": _judge("--beside", is_flag=True, help="Ask the judge for every test, to compare."),
}, _judging)  # fmt: skip
_with_stages = gathers("stages", {
    "judging": None,
    "planner": _plan("--planner", type=click.Choice(["parse", "llm", "parse-then-llm"]),
                     default="parse", help="Who finds out how a program is called."),
    "planner_model": _plan("--planner-model", help="SPEC or SPEC@URL; needed for llm."),
    "planner_budget": _plan("--planner-budget", type=float,
                            help="US dollars for the planner; no limit by default."),
    "repeat": _execute("--repeat", type=click.IntRange(1), default=1,
                       help="Executions of each test; `kit runs flakes RUN` says what differed."),
    "cluster": _execute("--cluster", default="", show_default=False,
                        help="Execute elsewhere: local:N, tcp://HOST:PORT, slurm:JOBS, or later; "
                        "here by default."),
}, _stages)  # fmt: skip
with_bounds = gathers("bounds", {
    "steps": _agent("--steps", type=click.IntRange(1), default=60, help="Actions for one task."),
    "seconds": _agent("--seconds", type=click.FloatRange(1), default=600.0,
                      help="Seconds for one task."),
    "dollars": _agent("--dollars", type=float,
                      help="US dollars for one task; no limit by default."),
    "share_net": _agent("--share-net", is_flag=True,
                        help="Give it the network of this machine, to reach its vendor."),
}, _bounds)  # fmt: skip


def with_models(command: Callable[..., Any]) -> Callable[..., Any]:
    """Gives a command the options of judge, planner and repeats, as one argument: `stages`."""
    return with_judge(_with_stages(command))
