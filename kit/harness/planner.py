"""A model says how a program is called, alone or where parsing could not tell.

A driver that the model wrote runs as the harness, in the box, beside an unchanged program. It is
settled on one test in a bounded loop (classify a failure; mend environment or harness), frozen,
kept in the cache of answers, and reused for every other test of that program without a further
question. No expected output enters any question: a driver is usable when the program ran and
something was observed, not when the answer is right.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from pydantic import TypeAdapter

from kit import harness
from kit.core.errors import KitError
from kit.core.languages import LANGUAGES, require_runnable
from kit.core.records import Event, Evidence, Observed, Status, Task, Test, content_key
from kit.generation import prompting, structured
from kit.generation.base import ModelError
from kit.generation.structured import Asker, Locks
from kit.harness import ORIGINS, box_files, calls, find_failure_origin, services, wording
from kit.harness.languages import READERS
from kit.harness.languages.cpp.build import LIMITS
from kit.harness.plan import Unmappable, plan_call
from kit.harness.shape import shape_of
from kit.sandbox.base import Sandbox

RUNNER = "kit_driver.py"
_INFRASTRUCTURE = frozenset(
    "KIT_CHANNEL LD_PRELOAD LD_LIBRARY_PATH PATH PYTHONPATH PYTHONHASHSEED "
    "PYTHONDONTWRITEBYTECODE".split()
)
ITERATIONS = 3
COMPILED = ("c", "cpp")
_TEXTS = {"type": "array", "items": {"type": "string"}}
_KINDS = ["function", "class", "command line", "standard input", "server"]
PLAN = structured.build_schema(
    kind={"type": "string", "enum": _KINDS},
    folders=_TEXTS,
    environment=_TEXTS,
    driver={"type": "string"},
)
CLASS = structured.build_schema(
    reasoning={"type": "string"}, origin={"type": "string", "enum": list(ORIGINS)}
)
FAMILIES = ("executor_setup", "failure_class", "harness_repair")
MODES = ("parse", "llm", "parse-then-llm")


@dataclass(frozen=True)
class Driver:
    """A driver with the folders and environment variables that it needs."""

    text: str
    folders: tuple[str, ...] = ()
    environment: tuple[str, ...] = ()  # NAME=value

    def variables(self) -> dict[str, str]:
        """The variables, without those that would reach around the box's own arrangement."""
        variables = {}
        for item in self.environment:
            name, equals, value = item.partition("=")
            if equals and name.isidentifier() and name not in _INFRASTRUCTURE:
                variables[name] = value
        return variables

    def places(self) -> tuple[str, ...]:
        """The folders that lie below the working folder; others are not made."""
        places = []
        for folder in self.folders:
            path = PurePosixPath(folder.removeprefix("/box/"))
            if not path.is_absolute() and ".." not in path.parts:
                places.append(path.as_posix())
        return tuple(places)


def run_under_driver(
    box: Sandbox, task: Task, test: Test, code: str, driver: Driver, *, language: str
) -> Evidence:
    """The evidence of one test under a driver; its own failures are HARNESS_ERROR."""
    failed = Evidence(Status.HARNESS_ERROR, isolation=box.name)
    if reason := services.missing_service(box, task):
        return replace(failed, note=reason)
    name = LANGUAGES[language].program
    environment = services.prepare_environment(task)
    try:
        value, files = calls.input_and_files(task, test)
        folders = [*dict.fromkeys([*calls.find_prompt_folders(task), *driver.places()])]
        job = {"input": value, "driver": driver.text, "folders": folders}
        files |= box_files.job(box, RUNNER, job)
        files[name] = code.encode(errors="replace")
    except (Unmappable, UnicodeEncodeError) as error:
        return replace(failed, note=str(error))
    except box_files.BoxFailed as failure:
        return replace(failed, status=Status.INFRA_ERROR, note=str(failure))
    command = [*environment.before, *box_files.runner_command(RUNNER)]
    limits = box.limits
    if language in COMPILED:  # the driver builds first
        limits = replace(LIMITS, wall_s=LIMITS.cpu_s + limits.wall_s)
    evidence = box.run(
        command, files=files, env=driver.variables(), limits=limits, **environment.options
    )
    if evidence.status is Status.INFRA_ERROR:
        return evidence
    if no_start := harness.find_failed_start(evidence):
        return replace(no_start, status=Status.HARNESS_ERROR)  # the driver is a model's
    result = _read_answer(evidence)
    start = find_start(result, name, language)
    if fraud := _find_fraud(result, start, name, language):
        result = replace(result, status=Status.HARNESS_ERROR, note=fraud)
    if start and not result.observed.lines:  # it is the driver's, as is what was built for it
        files = dict(result.files)
        files.pop(start.target.removeprefix("/box/"), None)
        events = tuple(event for event in result.events if event is not start)
        result = replace(result, events=events, files=files)
    result = harness.without_library(
        box, result, READERS[language](code).needs, LANGUAGES[language]
    )
    databases = services.dump_databases(box, task, test, result)
    return replace(result, observed=replace(result.observed, databases=databases))


def _read_answer(evidence: Evidence) -> Evidence:
    answers = box_files.read_answers(evidence.channel)
    answer = answers.last("kind")
    kind = answer.get("kind")
    failure = ""
    result = evidence
    if kind == "exception" and answer.get("by") == "driver":
        failure = f"The driver raised {answer.get('exception')}: {answer.get('message')}"
    elif kind == "output":
        result = _read_output(evidence, answer)
    elif kind in ("value", "exception", "response"):
        result = replace(harness.add_call_answer(evidence, answer), note=evidence.note)
    elif evidence.status is Status.COMPLETED:
        failure = "The driver ended without reporting anything."
    if failure:
        result = replace(evidence, status=Status.HARNESS_ERROR, note=failure)
    return replace(result, observed=replace(result.observed, lines=answers.lines))


def _read_output(evidence: Evidence, answer: Mapping[str, Any]) -> Evidence:
    """What a program printed, as the driver passed it on; else what was printed in the box."""
    fields: dict[str, Any] = {}
    for name in ("stdout", "stderr"):
        if isinstance(answer.get(name), str):
            fields[name] = answer[name].encode(errors="replace")
    if isinstance(answer.get("exit_code"), int):
        fields["exit_code"] = answer["exit_code"]
    result = replace(evidence, **fields)
    return replace(result, observed=Observed("output", value=result.out))


def _find_fraud(evidence: Evidence, start: Event | None, name: str, language: str) -> str:
    """Why the answer is not the program's own, or "": it must have run, and as it was written."""
    observed = evidence.observed
    if evidence.status is Status.HARNESS_ERROR:
        return ""
    of_program = [event for event in evidence.events if event.target == f"/box/{name}"]
    is_changed = name in evidence.files
    for event in of_program:
        is_change = event.kind in ("write", "delete", "rename") or "w" in event.mode
        if is_change and event.result >= 0:
            is_changed = True
    if is_changed:
        return "The driver or the program changed the program's own file."
    if language == "python":
        has_run = bool(start or observed.lines) or observed.kind == "exception"
    else:
        has_run = bool(start or of_program) or not wording.has_events(evidence)
    if has_run or observed.kind == "nothing":
        return ""
    return "The driver reported an answer without running the program."


def find_start(evidence: Evidence, name: str, language: str) -> Event | None:
    """The event with which the driver started the program, unless it called it in its own process.

    A compiled program was built before, so it is one that no system has.
    """
    for event in evidence.events:
        is_own = not event.target.startswith(("/usr/", "/bin/", "/lib"))
        is_program = name in event.mode or (language in COMPILED and is_own)
        if is_program and event.kind in ("start", "exec") and event.result >= 0:
            return event
    return None


class TrialFailed(Exception):
    """The machine failed, not the driver: nothing follows from the trial of this evidence."""


@dataclass(frozen=True)
class Frozen:
    """The end of the loop. No driver: `origin` and `note` say why the program cannot be run."""

    driver: Driver | None
    origin: str = ""
    note: str = ""
    iterations: int = 0


def choose_trial_test(task: Task) -> Test | None:
    """The test that a driver is tried on: the first functional one with an object, else any."""
    usable = [t for t in task.tests if t.kind == "functional" and not t.input_file]
    return max(usable, key=lambda test: isinstance(test.input, Mapping), default=None)


@dataclass(frozen=True)
class Loop:
    """One program on its way to a frozen driver."""

    box: Sandbox
    asker: Asker
    task: Task
    test: Test
    code: str
    language: str

    def settle_driver(self, iterations: int) -> Frozen:
        """A driver that stood the trial, or why there is none."""
        driver = self._ask_driver("executor_setup")
        if driver is None:
            return Frozen(None, "harness", "The planner gave no driver in the form asked for.")
        fault = problem = ""
        for n in range(1, iterations + 1):
            evidence = run_under_driver(
                self.box, self.task, self.test, self.code, driver, language=self.language
            )
            if evidence.status is Status.INFRA_ERROR:
                raise TrialFailed(evidence)
            problem = find_problem(evidence)
            if not problem:
                return Frozen(driver, iterations=n)
            parts = {"driver": driver.text, "happened": describe_trial(evidence, problem)}
            fault = self._find_origin(evidence, parts)
            if fault == "code":  # evidence like any other: the driver did run the program
                return Frozen(driver, fault, problem, n)
            if find_failure_origin(evidence) == "environment":  # nobody can install it here
                return Frozen(None, "environment", problem, n)
            if n < iterations:
                setting = {"folders": driver.folders, "environment": driver.environment}
                parts |= {"origin": f"the {fault}", "setting": json.dumps(setting)}
                driver = self._ask_driver("harness_repair", **parts) or driver
        return Frozen(None, fault, problem, iterations)

    def _find_origin(self, evidence: Evidence, parts: Mapping[str, str]) -> str:
        """Environment, harness or code; the driver's own exception needs no question."""
        if evidence.status is Status.HARNESS_ERROR:
            return find_failure_origin(evidence)
        return str(self._ask_model("failure_class", CLASS, **parts).get("origin", "harness"))

    def _ask_driver(self, family: str, **values: str) -> Driver | None:
        data = self._ask_model(family, PLAN, **values)
        if not data:
            return None
        return Driver(data["driver"], tuple(data["folders"]), tuple(data["environment"]))

    def _ask_model(self, family: str, shape: Mapping[str, Any], **values: str) -> dict[str, Any]:
        """The answer to a question, or {} where it has not the form asked for."""
        parts = {**self._describe_program(), **values}
        ticket = prompting.make_ticket(family, sorted(parts.items()))
        question = prompting.build_messages(family, ticket=ticket, **parts)
        return self.asker.ask(question, shape, ticket=ticket).data or {}

    def _describe_program(self) -> dict[str, str]:
        """What every question shows: the program, its specification, one input, no expectation."""
        shape = shape_of(self.task)
        language = LANGUAGES[self.language]
        keys = ", ".join(shape.keys) or "none"
        files = "\n".join(sorted(services.build_input_files(self.task)))
        return {
            "specification": self.task.prompt,
            "language": language.title,
            "filename": language.program,
            "code": self.code,
            "example": json.dumps(self.test.input, ensure_ascii=False, indent=1),
            "forms": f"kinds: {', '.join(sorted(shape.forms))}\nkeys, each may be missing: {keys}",
            "files": files or "none but the program",
        }


def find_problem(evidence: Evidence) -> str:
    """Why a trial run is not usable, or "". A right answer is not asked for."""
    observed = evidence.observed
    if evidence.status is not Status.COMPLETED:
        return evidence.note or f"The run ended with status {evidence.status}."
    if observed.kind == "exception":
        return f"The program raised {observed.exception}: {observed.message}"
    if observed.kind == "output" and evidence.exit_code:
        return f"The program ended with exit code {evidence.exit_code}."
    if observed.kind == "nothing":
        return "Nothing was reported."
    return ""


def describe_trial(evidence: Evidence, problem: str) -> str:
    """A trial run in words, for the questions about it."""
    parts = {
        "problem": problem,
        "lines of the program that ran": str(len(evidence.observed.lines)),
        "standard output": prompting.clip_text(evidence.out, 3000),
        "standard error": prompting.clip_text(evidence.err, 3000),
    }
    lines = [f"{name}: {text}" for name, text in parts.items()]
    return "\n".join([wording.describe_ending(evidence.round_usage()), *lines])


@dataclass
class Planner:
    """mode: "llm" asks for every program, "parse-then-llm" for those that parsing cannot call."""

    mode: str
    asker: Asker
    iterations: int = ITERATIONS
    _locks: Locks = field(default_factory=Locks, init=False, repr=False)

    def __post_init__(self) -> None:
        if self.mode not in MODES[1:]:
            raise KitError(f"Unknown planner {self.mode!r}. Use one of: {', '.join(MODES)}.")

    @property
    def identity(self) -> str:
        """Part of the key of all evidence that this planner had a hand in."""
        return content_key(
            self.mode,
            self.asker.model.identity,
            prompting.hash_templates(*FAMILIES),
            self.iterations,
            self.asker.temperature,
            box_files.hash_module_sources(__name__),  # drivers are tried in any language
        )

    def run(
        self,
        box: Sandbox,
        task: Task,
        test: Test,
        code: str,
        *,
        language: str = "python",
        home: Sandbox | None = None,
    ) -> Evidence:
        """What one test of a program left behind; a service that fails is an INFRA_ERROR.

        home: the box of the trial, where `box` allows this test less time than usual.
        """
        if self.mode == "parse-then-llm":
            result = harness.run_test(box, task, test, code, language=language)
            if find_failure_origin(result) != "harness":
                return result
        looking = getattr(harness.load_language_module(require_runnable(language)), "look", None)
        look = partial(looking, box, task, code) if looking else None
        failed = Evidence(Status.INFRA_ERROR, isolation=box.name)
        try:
            plan = plan_call(code, READERS[language], task, look)
            if plan.status is Status.COMPILE_ERROR:
                return replace(failed, status=plan.status, note=plan.reason)
            frozen = self.freeze(home or box, task, code, language)
        except TrialFailed as failure:
            evidence: Evidence = failure.args[0]
            return evidence
        except box_files.BoxFailed as failure:
            return replace(failed, note=str(failure))
        except ModelError as error:
            name = type(error).__name__
            note = f"The planner's service did not answer ({name}: {error})"
            return replace(failed, note=note)
        if frozen.driver is None and plan.kind == "lacking":
            return harness.mark_missing_feature(replace(failed, status=plan.status), plan.reason)
        if frozen.driver is None:
            note = f"{frozen.origin}: {frozen.note} (after {frozen.iterations} trials)"
            return replace(failed, status=Status.HARNESS_ERROR, note=note)
        result = run_under_driver(box, task, test, code, frozen.driver, language=language)
        return replace(result, note=" ".join(filter(None, (result.note, "Called by a driver."))))

    def freeze(self, box: Sandbox, task: Task, code: str, language: str) -> Frozen:
        """The frozen driver of a program: settled once, whichever of its tests comes first."""
        test = choose_trial_test(task)
        if test is None:
            return Frozen(None, "harness", "The task has no functional test to try a driver on.")
        program = (task.prompt, task.files, task.services, test.input, code, language)
        key = content_key("frozen", self.identity, box.identity, *program)
        with self._locks.of(key):
            result = self.asker.cache.get(key)
            if result is None:
                loop = Loop(box, self.asker, task, test, code, language)
                result = self.asker.cache[key] = asdict(loop.settle_driver(self.iterations))
        return TypeAdapter(Frozen).validate_python(result)
