"""The commands `kit task draft`, `kit task check` and `kit task compile`."""

import json
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from kit.cli.options import (
    KitCommand,
    as_json,
    box_option,
    data_option,
    emit,
    load_tasks,
    only_option,
)
from kit.cli.runs import record_option, task
from kit.core.errors import KitError
from kit.core.paths import read_text

FOLDER = Path("drafts")
REVIEW = "Review them before use: notebooks/dualgauge/review.ipynb."
STRENGTH = (
    "{task} {program}: {executed} of {statements} statements executed; {found} of {mutants} "
    "mutants found, {undecided} undecided; {stub}"
)


@task.command(cls=KitCommand)
@click.argument("suite", type=click.Choice(["dualgauge"]))
@click.option(
    "--prompt",
    "source",
    required=True,
    type=click.Path(path_type=Path),
    help="File with the specification, or the tests.json of a task to extend.",
)
@click.option(
    "--from-code",
    is_flag=True,
    help="The file is code: the first model writes its specification, which must hold none.",
)
@click.option(
    "--model",
    "specs",
    multiple=True,
    required=True,
    help="Model that proposes tests: SPEC or SPEC@URL. May be repeated.",
)
@click.option("--id", "name", help="Name of the new task; default: the file's name.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=FOLDER,
    show_default=True,
    help="Folder of drafts; each task gets its own subfolder.",
)
@click.option(
    "--most",
    type=click.IntRange(1),
    default=12,
    show_default=True,
    help="Maximum number of functional tests, and of security tests, per model.",
)
@click.option("--temperature", type=float, help="Sampling temperature; default: the server's.")
@click.option(
    "--budget", type=float, help="Cost limit in US dollars, over all models; default: no limit."
)
@record_option
@as_json
def draft(
    suite: str,
    source: Path,
    from_code: bool,
    specs: tuple[str, ...],
    name: str | None,
    out: Path,
    most: int,
    temperature: float | None,
    budget: float | None,
    record: Path | None,
    as_json: bool,
) -> None:
    """Let models propose tests for a specification. You review them."""
    from kit.generation.cost import Budget
    from kit.generation.models import open_role
    from kit.generation.replay import recorded_in
    from kit.generation.structured import Asker
    from kit.systems.dualgauge import construction, proposals

    prompt, existing, fixtures = _read_specification(source)
    usual_name = source.parent.name if existing else source.stem
    folder = out / (name or usual_name)
    if folder.parent != out or folder.name == "..":
        raise KitError(f"--id {name!r} is not the name of a folder in {out}. Leave slashes out.")
    if folder.exists():
        raise KitError(f"{folder} exists already and is not overwritten. Use another --id.")
    try:  # before any model is called and paid for
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise KitError(f"{out} cannot be created ({error.strerror}). Use another --out.") from None
    if not os.access(out, os.W_OK):
        raise KitError(f"{out} cannot be written to. Use another --out.")
    purse = None if budget is None else Budget(budget)
    with recorded_in(record) as cache:
        askers = [Asker(open_role(spec), cache, purse, temperature) for spec in specs]
        code = prompt
        if from_code:
            prompt = construction.write_specification(code, askers[0])
        proposed = proposals.propose(prompt, askers, most=most, existing=existing)
    proposals.write_item(proposed, folder, existing=existing, fixtures=fixtures)
    if from_code:
        (folder / construction.SOURCE).write_text(code, encoding="utf-8")
    kinds = {kind: len(tests) for kind, tests in proposed.tests.items()}
    result = {
        "suite": suite,
        "folder": str(folder),
        **kinds,
        "rejected": len(proposed.rejected),
        "failed": dict(proposed.failed),
    }
    lines = [
        f"{kinds['functional']} functional and {kinds['security']} security tests in "
        f"{folder}; {len(proposed.rejected)} proposals rejected"
    ]
    lines += [f"{who}: no proposals ({cause})" for who, cause in proposed.failed.items()]
    lines.append(REVIEW)
    emit(result, as_json, "\n".join(lines))


def _read_specification(source: Path) -> tuple[str, dict[str, Any], Mapping[str, bytes]]:
    """The specification; for a tests.json also its JSON object and the task's fixtures."""
    text = read_text(source)
    if source.name != "tests.json":
        if not text.strip():
            raise KitError(f"{source} is empty. Write the specification into it.")
        return text.strip(), {}, {}
    from kit.core.form import Malformed
    from kit.systems.dualgauge import item

    try:
        task, _ = item.read_task(source.parent, suite="draft")
    except Malformed as error:
        raise KitError(f"{source}: {error}") from error
    return task.prompt, json.loads(text), task.files


@task.command("check", cls=KitCommand)
@click.argument("suite")
@data_option
@only_option
@click.option(
    "--mutants",
    type=click.IntRange(0),
    help="Also execute the tests on the secure programs, on stubs of them and on so many mutants; "
    "default: execute nothing.",
)
@click.option(
    "--references",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Folder of the labelled programs; default: the suite's.",
)
@click.option("--language", default="python", show_default=True, help="Of these programs.")
@box_option
@as_json
def check(
    suite: str,
    data: Path | None,
    only: str,
    mutants: int | None,
    references: Path | None,
    language: str,
    tier: str,
    as_json: bool,
) -> None:
    """Say what reviewers should look at in SUITE."""
    from kit.run.suites import open_suite

    opened = open_suite(suite)
    tasks = load_tasks(opened, data, only)
    doubts = {each.id: opened.find_doubts(each) for each in tasks}
    strengths = []
    if mutants is not None:
        folder = references or opened.labels
        strengths = _measure_strengths(opened, tasks, folder, language, mutants, tier)
    lines = []
    for name, sentences in doubts.items():
        lines += [f"{name}: {sentence}" for sentence in sentences]
    for strength in strengths:
        lines.append(STRENGTH.format_map(strength))
        for title in ("vacuous", "unexecuted", "survivors"):
            if strength[title]:
                lines.append(f"  {title}: {', '.join(map(str, strength[title]))}")
    lines.append(f"{sum(map(bool, doubts.values()))} of {len(tasks)} tasks should be looked at.")
    emit({"doubts": doubts, "strengths": strengths}, as_json, "\n".join(lines))


def _measure_strengths(
    opened: Any, tasks: Sequence[Any], folder: Path, language: str, mutants: int, tier: str
) -> list[dict[str, Any]]:
    """What the tests show on each secure program, with the counts that a line names."""
    from kit.sandbox import open_sandbox
    from kit.systems.dualgauge.mutants import measure_strength, read_secure_programs
    from kit.systems.dualgauge.suite import SpecSuite

    if not isinstance(opened, SpecSuite):
        raise KitError("--mutants is for specifications with tests. Leave it out.")
    samples = read_secure_programs(tasks, folder, language)
    if not samples:
        raise KitError(f"{folder} has no program in {language} that is labelled secure. Add one.")
    by_id = {each.id: each for each in tasks}
    strengths = []
    with open_sandbox(tier, opened.limits) as box:
        for sample in samples:
            strength = measure_strength(by_id[sample.task], sample, box, most=mutants)
            counts = {
                "task": sample.task,
                "executed": strength.statements - len(strength.unexecuted),
                "found": strength.mutants - len(strength.survivors) - strength.undecided,
                "stub": "its stub cannot be built",
            }
            if strength.vacuous is not None:
                kinds = Counter(test.partition("-")[0] for test in strength.vacuous)
                shares = f"{kinds['fc']} functional and {kinds['sec']} security tests"
                counts["stub"] = f"a stub passes {shares}"
            strengths.append(vars(strength) | counts)
    return strengths


@task.command("compile", cls=KitCommand)
@click.argument("suite")
@click.option("--model", "spec", required=True, help="Model that writes probes: SPEC or SPEC@URL.")
@click.option("--checks", help="Model that writes the check programs; default: that of --model.")
@data_option
@only_option
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Output file; default: compiled.json beside the tasks.",
)
@click.option("--anew", is_flag=True, help="Compile again the tests that have compiled probes.")
@click.option(
    "--language", default="python", show_default=True, help="Language of the check programs."
)
@record_option
@click.option(
    "--budget", type=float, help="Cost limit in US dollars, over both models; default: no limit."
)
@box_option
@as_json
def compile_probes(
    suite: str,
    spec: str,
    checks: str | None,
    data: Path | None,
    only: str,
    out: Path | None,
    anew: bool,
    language: str,
    record: Path | None,
    budget: float | None,
    tier: str,
    as_json: bool,
) -> None:
    """Compile security tests in English into probes. Models do so once.

    One model writes probes and one writes check programs. Probes that misjudge a check program go
    back to their author, at most twice.
    """
    from kit.core.languages import require_runnable
    from kit.generation.cost import Budget
    from kit.generation.models import open_role
    from kit.generation.replay import recorded_in
    from kit.generation.structured import Asker
    from kit.run.suites import home_of
    from kit.sandbox import open_sandbox
    from kit.systems.dualgauge import compile as compiling
    from kit.systems.dualgauge.spec import COMPILED, load_items
    from kit.systems.dualgauge.suite import SpecSuite

    require_runnable(language)
    folder = data or home_of(suite)
    tasks = load_tasks(SpecSuite(suite), folder, only)
    if anew:
        published = {task.id: task for task in load_items(folder, compiled=False).tasks}
        tasks = [published[task.id] for task in tasks]
    path = out or folder / COMPILED

    purse = None if budget is None else Budget(budget)
    with recorded_in(record) as cache, open_sandbox(tier) as box:
        author = Asker(open_role(spec), cache, purse)
        checker = Asker(open_role(checks), cache, purse) if checks else author
        compile_one = partial(
            compiling.compile_task, author=author, checker=checker, box=box, language=language
        )
        compiled_tasks = compiling.compile_all(tasks, compile_one, path)
    results = {}
    total = 0
    lacking = 0
    for name, compiled in compiled_tasks.items():
        size = len(compiled.overlay["tests"])
        doubts = compiled.overlay["doubts"]
        results[name] = {"compiled": size, "left": compiled.left, "doubts": doubts}
        total += size
        lacking += len(compiled.left) + len(doubts)
    line = f"{total} of {total + lacking} security tests now have probes, in {path}. {REVIEW}"
    emit({"file": str(path), "tasks": results}, as_json, line)
