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
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import click

from kit.cli.parameter_types import choose_type
from kit.core.errors import KitError

FULL = (errno.ENOSPC, errno.EDQUOT)
BARRED = (
    errno.EACCES,
    errno.EPERM,
    errno.EROFS,
    errno.EISDIR,
    errno.ENOTDIR,
    errno.EEXIST,
    errno.ENOENT,
    errno.ENAMETOOLONG,
    errno.ELOOP,
)


class WithExample(click.Command):
    """A command whose help ends with its line of examples.toml."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_epilog(ctx, formatter)
        examples = tomllib.loads(Path(__file__).with_name("examples.toml").read_text("utf-8"))
        name = ctx.command_path.removeprefix(ctx.find_root().command_path).strip()
        if example := examples.get(name):
            with formatter.section("Examples"):
                formatter.write(f"  {example}\n")


class Group(WithExample, click.Group):
    """A group of commands; `validate oracle`, of two words, has priority over `validate`."""

    group_class = type  # a group in it has this class too

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [name for name in super().list_commands(ctx) if " " not in name]

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
            click.echo("\nkit: stopped. Finished work is saved; rerun to continue.", err=True)
            if any("ThreadPoolExecutor" in t.name for t in threading.enumerate()):
                sys.stdout.flush()
                os._exit(130)  # the interpreter would wait at its end for a call that hangs
            ctx.exit(130)
        except BrokenPipeError:
            sys.stderr.close()
            ctx.exit(0)
        except (sqlite3.DatabaseError, OSError) as error:
            cause = error.__cause__ or error  # pandas raises an OSError from one of SQLite
            if isinstance(cause, sqlite3.Error):
                text, code = _of_database(cause)
            elif isinstance(error, OSError) and error.errno in FULL:
                text = f"{error}. Free disk space, then rerun the command to continue."
                code = 74
            elif isinstance(error, OSError) and error.errno in BARRED:
                text = f"{error}. Name another file or folder, then rerun the command to continue."
                code = 2
            else:
                raise
            click.echo(f"kit: {text}", err=True)
            ctx.exit(code)


def _of_database(error: sqlite3.Error) -> tuple[str, int]:
    """The sentence and the exit code for a file of a run that SQLite cannot read or write."""
    from kit.run.export import escape_controls

    message = escape_controls(" ".join(str(error).split())[:200])
    if any(word in message for word in ("malformed", "not a database", "Could not decode")):
        return f"The run's file is damaged ({message}). Move it away and rerun the command.", 2
    mend = "Check that you may write to it, or choose another with --run"
    code = 2
    if "full" in message or "I/O" in message:
        mend = "Free disk space, then rerun the command to continue"
        code = 74
    return f"The run's file could not be read or written ({message}). {mend}.", code


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="securecode-kit")
def main() -> None:
    """Measure whether code written by language models is both correct and secure."""


class Option(click.Option):
    """An option that help lists under `heading`, unless the command lists it first."""

    def __init__(self, *names: Any, heading: str = "", **attributes: Any) -> None:
        super().__init__(*names, **attributes)
        self.heading = heading


class KitCommand(WithExample):
    """A command whose help lists the options in `first` (default: all), then others by heading."""

    def __init__(self, *args: Any, first: Sequence[str] = (), **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.first = first

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, section by section."""
        places = {name: number for number, name in enumerate(self.first)}
        sections: dict[str, list[tuple[str, str]]] = {"Options": []}
        params = self.get_params(ctx)
        for param in sorted(params, key=lambda param: places.get(param.name or "", len(places))):
            record = param.get_help_record(ctx)
            if not isinstance(param, click.Option) or not record:
                continue
            is_first = not self.first or param.name in places
            heading = "" if is_first else getattr(param, "heading", "")
            sections.setdefault(heading or "Options", []).append(record)
        for heading, records in sections.items():
            with formatter.section(heading):
                formatter.write_dl(records)


Group.command_class = KitCommand
option = functools.partial(click.option, cls=Option)
as_json = option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
data_option = option(
    "--data",
    type=click.Path(path_type=Path),
    heading="Tasks and prompts",
    help="Folder of tasks; by default those shipped with the kit.",
)
only_option = option(
    "--only",
    default="",
    heading="Tasks and prompts",
    help="Use only these task ids (comma-separated); default: all.",
)
limit_option = option(
    "--limit",
    type=click.IntRange(1),
    heading="Tasks and prompts",
    help="Number of tasks, spread over the suite; default: all.",
)
run_option = option("--run", "run_name", help="Name or folder of the run; default: generated.")
workers_option = option(
    "--workers",
    type=click.IntRange(1),
    default=2,
    show_default=True,
    heading="Execution",
    help="Number of parallel workers.",
)


def gather_options(
    argument: str, options: Mapping[str, Any], make: Callable[..., Any]
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator that adds options to a command; `make` turns their values into one argument.

    options: parameter -> option, or None if another decorator adds that option.
    """

    def decorate_command(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def call(*args: Any, **values: Any) -> Any:
            gathered = make(**{name: values.pop(name) for name in options})
            return command(*args, **{argument: gathered}, **values)

        for add in reversed([*options.values()]):
            if add is not None:
                call = add(call)
        return call

    return decorate_command


def _choose_tier(
    tier: str, requirements: Path | None, installing: bool, install_before: str | None
) -> str:
    if installing or install_before:
        from kit.harness import installs

        tier += f"@{installs.check_day(install_before or installs.BEFORE)}"
    if requirements:
        from kit.harness import libraries

        tier += f":{libraries.install_requirements(requirements)}"
    return tier


box_option = gather_options(
    "tier",
    {
        "tier": option(
            "--sandbox",
            "tier",
            default="bwrap",
            show_default=True,
            heading="Execution",
            help="Sandbox tier: bwrap, docker, or bare (no isolation).",
        ),
        "requirements": option(
            "--requirements",
            type=click.Path(path_type=Path),
            heading="Execution",
            help="A requirements.txt (wheels) or package.json (npm) of libraries "
            "that programs may import; default: none.",
        ),
        "installing": option(
            "--install",
            "installing",
            is_flag=True,
            heading="Execution",
            help="Install from PyPI and npm what a program imports and the sandbox lacks.",
        ),
        "install_before": option(
            "--install-before",
            metavar="DAY",
            heading="Execution",
            help="Install what the registries had before this day (YEAR-MONTH-DAY); default: "
            "2026-06-01.",
        ),
    },
    _choose_tier,
)


def emit(data: Any, as_json: bool, text: str | Iterable[Iterable[Any]]) -> None:
    """Print `data` (which may hold tables) as JSON, with null for NaN; or `text`, or its rows."""
    if as_json:
        text = json.dumps(_make_json_safe(data), indent=1, default=str)
    elif not isinstance(text, str):
        from kit.run.report import align_columns

        text = align_columns(text)
    click.echo(text)


def _make_json_safe(data: Any) -> Any:
    if hasattr(data, "to_json"):  # a table, without an import of pandas here, which is slow
        data = json.loads(data.to_json(orient="records"))
    if isinstance(data, dict):
        return {key: _make_json_safe(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_make_json_safe(value) for value in data]
    return None if isinstance(data, float) and not math.isfinite(data) else data


def load_tasks(suite: Any, data: Path | None, only: str = "", *, every: bool = False) -> list[Any]:
    """The tasks of a suite. Problems with chosen items are printed on stderr; the others load.

    every: also quarantined tasks, and foreign tasks whose own references fail their labels.
    """
    loaded = suite.load(data)
    if every:
        loaded = replace(loaded, tasks=(*loaded.tasks, *suite.aside))
    if suite.leaves_out and not every:
        from kit.run import validate

        loaded = validate.keep_valid_tasks(suite, loaded)
    names = split_names(only)
    for problem in loaded.problems:
        if not names or re.split("[/ ]", problem)[0] in names:
            click.echo(f"kit: {problem}", err=True)
    chosen: list[Any] = loaded.select_tasks(names)
    return chosen


def split_names(text: str) -> list[str]:
    """The names in a comma-separated text, without spaces around them."""
    return list(filter(None, map(str.strip, text.split(","))))


class OfSuite(KitCommand):
    """A command with a SUITE argument: the fields of that suite's Settings are options too."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        from kit.run.suites import list_suites

        names = list_suites()
        suites = [word for word in args if word in names]
        for before, word in pairwise(["", *args]):
            # An option's value is no suite: a folder of programs may hold a suite.py as well.
            if not before.startswith("-") and Path(word, "suite.py").is_file():
                suites.append(word)
        suites += [word for word in args if re.fullmatch(r"[\w.]+:[A-Z]\w*", word)]
        ctx.meta["suite"] = suites[0] if suites else ""
        return super().parse_args(ctx, args)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        from kit.run.suites import open_suite

        name = ctx.meta.get("suite", "")
        if not name:
            return super().get_params(ctx)
        return [*super().get_params(ctx), *self.further(open_suite(name))]

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write how to list a suite's own options, unless they are listed."""
        if not ctx.meta.get("suite"):
            formatter.write_paragraph()
            formatter.write_text(f"Options of one suite: {ctx.command_path} SUITE --help")
        super().format_epilog(ctx, formatter)

    def further(self, suite: Any) -> list[click.Parameter]:
        """The options that the suite adds: the fields of its Settings."""
        heading = f"Settings of {suite.name}"
        options: list[click.Parameter] = []
        for field in fields(suite.Settings):
            flag = field.metadata.get("flag", f"--{field.name.replace('_', '-')}")
            options.append(
                Option(
                    [flag, field.name],
                    type=choose_type(field),
                    default=field.default,
                    show_default=field.default not in (None, ""),
                    is_flag=field.type in (bool, "bool"),
                    help=field.metadata.get("help", ""),
                    heading=heading,
                )
            )
        return options


class OfLoaded(OfSuite):
    """A command without a model: only the settings that affect loading or verdicts."""

    def further(self, suite: Any) -> list[click.Parameter]:
        return [option for option in super().further(suite) if option.name in suite.loading]


def open_configured_suite(name: str, options: dict[str, Any]) -> Any:
    """The suite of this name, configured by those options that are its settings."""
    from kit.run.suites import open_suite

    suite = open_suite(name)
    names = {field.name for field in fields(suite.Settings)}
    settings = {name: options[name] for name in names & options.keys()}
    return suite.with_settings(suite.Settings(**settings))


def _make_judging(
    judge: str | None,
    judge_samples: int,
    judge_temperature: float | None,
    judge_budget: float | None,
    resolver: str,
    beside: bool,
    judge_draw: str,
) -> Any:
    from kit.run.judging import Judging

    if not judge:
        return None
    return Judging(
        judge, judge_samples, judge_temperature, resolver, judge_budget, beside, judge_draw
    )


def _make_stages(
    judging: Any,
    planner: str,
    planner_model: str | None,
    planner_budget: float | None,
    repeat: int,
    cluster: str,
) -> Any:
    from kit.run.judging import Planning
    from kit.run.pipeline import Stages

    planning = None
    if planner != "parse":
        planning = Planning(planner, planner_model or "", planner_budget)
    return Stages(planning, judging, repeat, cluster)


def _make_bounds(steps: int, seconds: float, dollars: float | None, share_net: bool) -> Any:
    from kit.generation.base import Bounds

    return Bounds(steps, seconds, dollars, share_net)


_judge, _plan, _execute, _agent = (
    functools.partial(option, heading=heading, show_default=True)
    for heading in ("A model as judge", "A model as planner", "Execution", "A coding agent")
)
with_judge = gather_options(
    "judging",
    {  # None without a judge
        "judge": _judge(
            "--judge",
            help="Model that judges the tests which the oracle leaves undecided:"
            " SPEC or SPEC@URL, such as openai:NAME@http://localhost:8000/v1, or a recording, "
            "replay:RUN; default: none.",
        ),
        "judge_samples": _judge(
            "--judge-samples",
            type=click.IntRange(1),
            default=1,
            help="Number of answers per test; a majority decides.",
        ),
        "judge_temperature": _judge(
            "--judge-temperature",
            type=float,
            help="Sampling temperature of the judge; default: the server's.",
        ),
        "judge_budget": _judge(
            "--judge-budget",
            type=float,
            help="Cost limit of the judge in US dollars; default: no limit.",
        ),
        "resolver": _judge(
            "--resolver",
            default="installed",
            help="Source of library documentation for the judge: none, installed (the "
            "sandbox's libraries), or SPEC of a model with web search.",
        ),
        "beside": _judge(
            "--judge-all",
            "beside",
            is_flag=True,
            help="Ask the judge about every test, to compare it with the oracle.",
        ),
        "judge_draw": _judge(
            "--judge-draw",
            default="",
            metavar="KIND=N,...",
            help="Ask the judge about so many tests of a kind, drawn by a hash, to compare it "
            "with the oracle: security=80,functional=20; default: none.",
        ),
    },
    _make_judging,
)
_with_stages = gather_options(
    "stages",
    {
        "judging": None,
        "planner": _plan(
            "--planner",
            type=click.Choice(["parse", "llm", "parse-then-llm"]),
            default="parse",
            help="How to find a program's entry point: by parsing, or by a model.",
        ),
        "planner_model": _plan(
            "--planner-model", help="Model of the planner, as for --judge; required with llm."
        ),
        "planner_budget": _plan(
            "--planner-budget",
            type=float,
            help="Cost limit of the planner in US dollars; default: no limit.",
        ),
        "repeat": _execute(
            "--repeat",
            type=click.IntRange(1),
            default=1,
            help="Executions of each test; `kit runs flakes RUN` lists flaky tests.",
        ),
        "cluster": _execute(
            "--cluster",
            default="",
            show_default=False,
            help="Where to execute: local:N, tcp://HOST:PORT, slurm:JOBS, or later; "
            "default: this process.",
        ),
    },
    _make_stages,
)
with_bounds = gather_options(
    "bounds",
    {
        "steps": _agent(
            "--agent-steps",
            "steps",
            type=click.IntRange(1),
            default=60,
            help="Maximum number of actions per task.",
        ),
        "seconds": _agent(
            "--agent-seconds",
            "seconds",
            type=click.FloatRange(1),
            default=600.0,
            help="Time limit per task, in seconds.",
        ),
        "dollars": _agent(
            "--agent-budget",
            "dollars",
            type=float,
            help="Cost limit per task in US dollars; default: no limit.",
        ),
        "share_net": _agent(
            "--share-net",
            is_flag=True,
            help="Give the agent this machine's network too; its model it reaches without.",
        ),
    },
    _make_bounds,
)


@dataclass(frozen=True)
class ExecutionOptions:
    """Which tasks a command executes, into which run, where and by which stages."""

    data: Path | None
    only: str
    run_name: str | None
    tier: str
    workers: int
    stages: Any

    @property
    def keyword_arguments(self) -> dict[str, Any]:
        return {"tier": self.tier, "workers": self.workers, "stages": self.stages}


_with_execution = gather_options(
    "execution", dict.fromkeys(f.name for f in fields(ExecutionOptions)), ExecutionOptions
)


def add_execution_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds what every command takes that executes programs, as one `execution`."""
    chooses = (data_option, only_option, run_option, box_option, workers_option)
    for add in reversed((*chooses, with_judge, _with_stages, _with_execution, as_json)):
        command = add(command)
    return command
