"""The command that asks models about tests: `kit task compile`."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from kit.cli.options import Command, as_json, box_option, data_option, emit, load_tasks, only_option
from kit.records import Task


@click.command("compile", cls=Command)
@click.argument("suite")
@click.option("--model", "spec", required=True, help="Writes the probes: SPEC or SPEC@URL; none: "
              "a draft of what is certain, without any check.")  # fmt: skip
@click.option("--checks", help="Writes the check programs: SPEC or SPEC@URL; --model by default.")
@data_option
@only_option
@click.option("--out", type=click.Path(path_type=Path),
              help="File of the probes; by default compiled.json in the folder.")  # fmt: skip
@click.option("--anew", is_flag=True, help="Also tests with compiled probes: by a second author.")
@click.option("--language", default="python", show_default=True, help="Of the check programs.")
@click.option("--record", type=click.Path(path_type=Path),
              help="Folder for the models' answers, for --model replay:FOLDER.")  # fmt: skip
@click.option("--budget", type=float, help="US dollars, over both models; no limit by default.")
@box_option
@as_json
def compile_probes(
    suite: str, spec: str, checks: str | None, data: Path | None, only: str, out: Path | None,
    anew: bool, language: str, record: Path | None, budget: float | None, tier: str, as_json: bool,
) -> None:  # fmt: skip
    """Let models turn the English of security tests into probes, before any program is judged.

    One writes probes, another one check programs; what these show to be no good goes back to the
    first, at most twice. Example: kit task compile dualgauge --data DIR --model openai:gpt-5
    """
    from kit.authoring import compile as compiling
    from kit.generation import replay
    from kit.generation.cost import Budget
    from kit.languages import runnable
    from kit.sandbox import open_sandbox
    from kit.suites import home_of
    from kit.suites.spec import COMPILED, load
    from kit.suites.spec.suite import SpecSuite

    runnable(language)
    folder = data or home_of(suite)
    tasks = load_tasks(SpecSuite(suite), folder, only)
    if anew:
        published = {task.id: task for task in load(folder, compiled=False).tasks}
        tasks = [published[task.id] for task in tasks]
    path = out or folder / COMPILED

    def compile_all(compile_one: Callable[[Task], compiling.Compilation]) -> Any:
        return compiling.compile_all(tasks, compile_one, path, lambda s: click.echo(s, err=True))

    if spec == "none":
        done = compile_all(compiling.drafts)
    else:
        purse = None if budget is None else Budget(budget)
        author = compiling.author(spec, purse)
        checker = compiling.author(checks, purse) if checks else author
        with open_sandbox(tier) as box:
            done = compile_all(
                lambda t: compiling.compiled(t, author, checker, box, language=language)
            )
        if record:
            answers = {replay.slot_key(a): a for a in (*author.answers, *checker.answers)}
            replay.write(record, answers.values(), settings={"language": language})
    counts = {
        t: {"compiled": len(c.overlay["tests"]), "left": c.left, "doubts": c.overlay["doubts"]}
        for t, c in done.items()
    }
    total = sum(len(c.overlay["tests"]) for c in done.values())
    left = sum(len(c.left) + len(c.overlay["doubts"]) for c in done.values())
    emit({"file": str(path), "tasks": counts}, as_json,
         f"{total} of {total + left} security tests have probes now, in {path}. Review them before "
         "use: notebooks/dualgauge/review.ipynb.")  # fmt: skip
