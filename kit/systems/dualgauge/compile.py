"""Compiles security tests in English into probes with models, once, before any program is judged.

One model writes probes and variants from the item alone. A second, independent call writes check
programs from the item: secure, careless, half defended, idle. The kit runs these in the sandbox. A
test's probes are accepted if they hold for the secure program and a careless one breaks them.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from kit.core import form
from kit.core.errors import KitError
from kit.core.paths import replace_whole
from kit.core.records import Outcome, Task, Test, to_json
from kit.generation import prompting
from kit.generation.base import ModelError, NotRecorded
from kit.generation.cost import BudgetReached
from kit.generation.structured import Asker, build_schema
from kit.sandbox import Sandbox
from kit.systems.dualgauge import authoring, item, spec
from kit.systems.dualgauge.checks import CHECK_PROGRAMS, run_check_programs

TRIES = 3  # rounds of an author; each after the first is shown the results of the one before
_TEXT = {"type": "string"}
_OBJECTS = {"type": "array", "items": {"type": "object"}}
PROBES = build_schema(
    files={"type": "object"}, services=_OBJECTS, tests=_OBJECTS, secure_is_wrong=_TEXT
)
CHECKS = build_schema(**dict.fromkeys(CHECK_PROGRAMS, _TEXT))


def ask_author(
    author: Asker,
    task: Task,
    about: str,
    attempt: int,
    wanted: Mapping[str, Any],
    values: Mapping[str, Any],
) -> dict[str, Any]:
    """The object that the prompt `about` asks for, with its `date`; KitError if there is none."""
    ticket = prompting.make_ticket(about, task.prompt, attempt)
    messages = prompting.build_messages(about, ticket=ticket, **values)
    answer = author.ask(messages, wanted, ticket=ticket)
    if answer.data is None:
        raise KitError(f"{author.model.name} gave no answer for {task.id}: {answer.note}")
    return {**answer.data, "date": answer.created[:10]}


@dataclass
class Compilation:
    """The result for one item. overlay: as in `item.Overlay`. left: test -> why it has none."""

    overlay: dict[str, Any]
    left: dict[str, str]
    asked: int

    def text(self, task: Task) -> str:
        tests = self.overlay["tests"]
        unbroken = [test for test in tests.values() if test["reason"]]
        problems = dict(self.left)
        for name, doubt in self.overlay["doubts"].items():
            problems[name] = f"called wrong: {doubt}"
        text = f"{task.id}: {len(tests)} of {len(tests) + len(problems)} tests compiled"
        text += f" in {self.asked} rounds"
        if unbroken:
            text += f", {len(unbroken)} broken by no program"
        for name, problem in problems.items():
            text += f"\n  {name}: {problem}"
        return text


def compile_task(
    task: Task, author: Asker, checker: Asker, box: Sandbox, *, language: str = "python"
) -> Compilation:
    """Probes for the security tests of a task that have none; check programs test every answer."""
    security = [test for test in task.tests if test.kind == "security"]
    waiting = {test.id: test for test in security if not test.probes}
    request = {"item": _describe_item(task), "language": language, "kinds": CHECK_PROGRAMS}
    overlay: dict[str, Any] = {
        "prompt_sha256": spec.hash_prompt(task.prompt),
        "files": {},
        "services": [],
        "tests": {},
        "doubts": {},
    }
    problems = dict.fromkeys(waiting, "")
    doubt = ""
    attempt = 0
    for attempt in range(1, TRIES + 1):
        if attempt == 1 or doubt:
            for_checker = {**request, "doubt": doubt, "tests": _describe_tests(security)}
            programs = ask_author(checker, task, "compile_programs", attempt, CHECKS, for_checker)
            overlay["check_programs"] = {kind: programs[kind] for kind in CHECK_PROGRAMS}
        feedback = [f"{name}: {problem}" for name, problem in problems.items() if problem]
        for_author = {
            **request,
            "vocabulary": authoring.render_page(),
            "tests": _describe_tests(waiting.values()),
            "feedback": "\n".join(feedback),
        }
        answer = ask_author(author, task, "compile_probes", attempt, PROBES, for_author)
        problems = _add_to_overlay(task, answer, overlay, waiting, author.model.name)
        sound = [name for name in waiting if not problems[name]]
        results = run_check_programs(task, overlay, language, box)
        for name in sound:
            key = spec.test_key(task, waiting[name])
            problems[name] = _find_unsoundness(results, name, overlay["tests"][key]["reason"])
            if problems[name]:
                del overlay["tests"][key]
            else:
                checks = {kind: results[kind, name][0] for kind in CHECK_PROGRAMS}
                overlay["tests"][key]["checks"] = checks
                del waiting[name], problems[name]
        doubt = "\n".join([answer["secure_is_wrong"], *_list_failures(task, results)]).strip()
        for name in overlay["doubts"].keys() & waiting.keys():
            del waiting[name], problems[name]
        if not waiting:
            break
    return Compilation(overlay, problems, attempt)


def _list_failures(task: Task, results: Mapping[tuple[str, str], tuple[str, str]]) -> list[str]:
    """A sentence for each functional test that the secure program fails."""
    sentences = []
    for test in task.tests:
        if test.kind == "functional":
            outcome, sentence = results["secure", test.id]
            if outcome == Outcome.FAIL:
                sentences.append(f"{test.id}: {sentence}")
    return sentences


def _describe_item(task: Task) -> str:
    """All that an author is shown of an item except its security tests."""
    functional = []
    for test in task.tests:
        if test.kind == "functional":
            functional.append(
                {
                    "id": test.id,
                    "input": test.input,
                    "input_file": test.input_file,
                    "expected_output": test.expected,
                }
            )
    files = {}
    for path, data in task.files.items():
        files[path] = f"{len(data)} bytes: {data[:300].decode(errors='replace')}"
    parts = {
        "specification": task.prompt,
        "implementation_details": task.details,
        "files": files,
        "functional_tests": functional,
        "services": to_json(task.services),
    }
    return json.dumps(parts, ensure_ascii=False, indent=1)


def _describe_tests(tests: Iterable[Test]) -> str:
    listed = [
        {
            "id": test.id,
            "input": test.input,
            "input_file": test.input_file,
            "CWE": test.cwe,
            "expected_behavior": test.behavior,
        }
        for test in tests
    ]
    return json.dumps(listed, ensure_ascii=False, indent=1)


def _add_to_overlay(
    task: Task,
    answer: Mapping[str, Any],
    overlay: dict[str, Any],
    waiting: Mapping[str, Test],
    by: str,
) -> dict[str, str]:
    """Put the answer's tests into the overlay; returns by test why it was rejected, or ""."""
    problems = {name: "no probes were given for it" for name in waiting}
    try:
        form.validate_data(
            item.OVERLAY,
            {"prompt_sha256": "-", "files": answer["files"], "services": answer["services"]},
            "world",
        )
        overlay["files"] |= answer["files"]
        overlay["services"] = answer["services"] or overlay["services"]
        world, _ = spec.with_overlay(task, [overlay])
    except form.Malformed as error:
        return dict.fromkeys(waiting, str(error))
    present = {*world.files, *item.list_service_paths(world.services)}
    for proposal in answer["tests"]:
        name = proposal.get("id")
        if name not in waiting:
            continue
        entry = {"by": by, "date": answer["date"], "reason": "", **proposal}
        if wrong := entry.pop("wrong", ""):
            overlay["doubts"][name] = wrong
            continue
        try:
            compiled = form.validate_data(item.COMPILED, entry, f"{name}")
            item.kept_are_there(name, compiled, present)
        except form.Malformed as error:
            problems[name] = str(error)
            continue
        overlay["tests"][spec.test_key(task, waiting[name])] = entry
        problems[name] = ""
    return problems


def _find_unsoundness(
    results: Mapping[tuple[str, str], tuple[str, str]], test: str, reason: str
) -> str:
    """Why a test's probes do not distinguish the check programs, or ""."""
    outcomes = {kind: results[kind, test][0] for kind in CHECK_PROGRAMS}
    texts = {}
    for kind, outcome in outcomes.items():
        texts[kind] = f"the {kind} program came to {outcome}: {results[kind, test][1]}"
    if outcomes["secure"] != Outcome.PASS:
        return texts["secure"]
    if outcomes["idle"] == Outcome.UNKNOWN:
        return texts["idle"]
    if Outcome.FAIL in (outcomes["careless"], outcomes["half_defended"]) or reason.strip():
        return ""
    return (
        "no check program breaks it; give a variant that arms the attack, or a reason. "
        f"{texts['careless']} {texts['half_defended']}"
    )


def compile_all(
    tasks: Sequence[Task], compile_one: Callable[[Task], Compilation], path: Path
) -> dict[str, Compilation]:
    """Compile the tasks one by one into the file of overlays at `path`, written after each.

    A line on stderr says what came of each. A task without an answer is left out; a service that
    fails, or a spent budget, ends the work.
    """
    overlays = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    spec.read_overlays(path)  # KitError if an existing file has another form
    compilations = {}
    for task in tasks:
        if all(test.probes for test in task.tests if test.kind == "security"):
            continue
        try:
            result = compilations[task.id] = compile_one(task)
        except (KitError, NotRecorded) as error:
            click.echo(f"{task.id}: not compiled: {error}", err=True)
            continue
        except (ModelError, BudgetReached) as error:
            stopped = f"{task.id}: stopped: {error}. Rerun the command to continue."
            click.echo(stopped, err=True)
            break
        old = overlays.get(task.id, {})
        if old.get("prompt_sha256") == result.overlay["prompt_sha256"]:
            result.overlay["tests"] = {**old.get("tests", {}), **result.overlay["tests"]}
        overlays[task.id] = result.overlay
        replace_whole(path, json.dumps(overlays, indent=1, ensure_ascii=False) + "\n")
        click.echo(result.text(task), err=True)
    return compilations
