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
from kit.errors import KitError
from kit.generation import prompting, structured
from kit.generation.base import ModelError
from kit.generation.structured import Asker, Locks
from kit.harness import ORIGINS, box_files, calls, origin, services, wording
from kit.harness.languages import READERS
from kit.harness.plan import Unmappable, plan
from kit.harness.shape import shape_of
from kit.languages import LANGUAGES, runnable
from kit.records import Evidence, Observed, Status, Task, Test, content_key
from kit.sandbox.base import Sandbox

RUNNER = "kit_driver.py"
_INFRASTRUCTURE = frozenset({"KIT_CHANNEL", "LD_PRELOAD", "LD_LIBRARY_PATH", "PATH", "PYTHONPATH",
                             "PYTHONHASHSEED", "PYTHONDONTWRITEBYTECODE"})  # fmt: skip


@dataclass(frozen=True)
class Driver:
    """A driver with the folders and environment variables that it needs."""

    text: str
    folders: tuple[str, ...] = ()
    environment: tuple[str, ...] = ()  # NAME=value

    def variables(self) -> dict[str, str]:
        """The variables, without those that would reach around the box's own arrangement."""
        pairs = [item.partition("=") for item in self.environment]
        return {n: v for n, eq, v in pairs if eq and n.isidentifier() and n not in _INFRASTRUCTURE}

    def places(self) -> tuple[str, ...]:
        """The folders that lie below the working folder; others are not made."""
        paths = [PurePosixPath(f.removeprefix("/box/")) for f in self.folders]
        return tuple(p.as_posix() for p in paths if not p.is_absolute() and ".." not in p.parts)


def drive(
    box: Sandbox, task: Task, test: Test, code: str, driver: Driver, *, language: str
) -> Evidence:
    """The evidence of one test under a driver; its own failures are HARNESS_ERROR."""
    if reason := services.missing_service(box, task):
        return Evidence(Status.HARNESS_ERROR, isolation=box.name, note=reason)
    beside = services.environment(task)
    try:
        value, files = calls.input_and_files(task, test)
        folders = tuple(dict.fromkeys([*calls.folders(task), *driver.places()]))
        job = {"input": value, "driver": driver.text, "folders": folders}
        files |= box_files.job(box, RUNNER, job)
    except (Unmappable, UnicodeEncodeError) as error:
        return Evidence(Status.HARNESS_ERROR, isolation=box.name, note=str(error))
    except box_files.BoxFailed as failure:
        return Evidence(Status.INFRA_ERROR, isolation=box.name, note=str(failure))
    name = LANGUAGES[language].program
    files[name] = code.encode(errors="replace")
    command = [*beside.before, *box_files.argv(RUNNER)]
    evidence = box.run(command, files=files, env=driver.variables(), **beside.options)
    if evidence.status is Status.INFRA_ERROR:
        return evidence
    if (failed := harness.unbegun(evidence)) is not None:
        return replace(failed, status=Status.HARNESS_ERROR)  # the driver is a model's
    result = _read(evidence)
    if problem := _untouched(result, name, language):
        result = replace(result, status=Status.HARNESS_ERROR, note=problem)
    result = harness.without_library(
        box, result, READERS[language](code).needs, LANGUAGES[language]
    )
    databases = services.dumps(box, task, test, result)
    return replace(result, observed=replace(result.observed, databases=databases))


def _read(evidence: Evidence) -> Evidence:
    answers = box_files.answers(evidence.channel)
    answer = answers.last("kind")
    kind = answer.get("kind")
    result = evidence
    if kind == "exception" and answer.get("by") == "driver":
        what = f"{answer.get('exception')}: {answer.get('message')}"
        result = replace(evidence, status=Status.HARNESS_ERROR, note=f"The driver raised {what}")
    elif kind == "output":
        result = _output(evidence, answer)
    elif kind in ("value", "exception", "response"):
        result = replace(harness.returned(evidence, answer), note=evidence.note)
    elif evidence.status is Status.COMPLETED:
        note = "The driver ended without reporting anything."
        result = replace(evidence, status=Status.HARNESS_ERROR, note=note)
    return replace(result, observed=replace(result.observed, lines=answers.lines))


def _output(evidence: Evidence, answer: Mapping[str, Any]) -> Evidence:
    """What a program printed, as the driver passed it on; else what was printed in the box."""
    out, err, code = (answer.get(k) for k in ("stdout", "stderr", "exit_code"))
    evidence = replace(
        evidence,
        stdout=out.encode(errors="replace") if isinstance(out, str) else evidence.stdout,
        stderr=err.encode(errors="replace") if isinstance(err, str) else evidence.stderr,
        exit_code=code if isinstance(code, int) else evidence.exit_code,
    )
    return replace(evidence, observed=Observed("output", value=evidence.out))


def _untouched(evidence: Evidence, name: str, language: str) -> str:
    """Why the answer is not the program's own, or "": it must have run, and as it was written."""
    path = f"/box/{name}"
    changed = [e for e in evidence.events if e.target == path and e.result >= 0
               and (e.kind in ("write", "delete", "rename") or "w" in e.mode)]  # fmt: skip
    if evidence.status is Status.HARNESS_ERROR:
        return ""
    if name in evidence.files or changed:
        return "The driver or the program changed the program's own file."
    if evidence.observed.kind == "nothing":
        return ""
    if language == "python":
        ran = bool(evidence.observed.lines) or evidence.observed.kind == "exception"
    else:
        started = (e.target == path or name in e.mode for e in evidence.events)
        ran = not wording.has_events(evidence) or any(started)
    return "" if ran else "The driver reported an answer without running the program."


ITERATIONS = 3
_TEXTS = {"type": "array", "items": {"type": "string"}}
PLAN = structured.schema(
    kind={
        "type": "string",
        "enum": ["function", "class", "command line", "standard input", "server"],
    },
    folders=_TEXTS,
    environment=_TEXTS,
    driver={"type": "string"},
)
CLASS = structured.schema(
    reasoning={"type": "string"}, origin={"type": "string", "enum": list(ORIGINS)}
)
FAMILIES = ("executor_setup", "failure_class", "harness_repair")


class TrialFailed(Exception):
    """The machine failed, not the driver: nothing follows from the trial of this evidence."""


@dataclass(frozen=True)
class Frozen:
    """The end of the loop. No driver: `origin` and `note` say why the program cannot be run."""

    driver: Driver | None
    origin: str = ""
    note: str = ""
    iterations: int = 0


def trial(task: Task) -> Test | None:
    """The test that a driver is tried on: the first functional one with an object, else any."""
    usable = [t for t in task.tests if t.kind == "functional" and not t.input_file]
    objects = [t for t in usable if isinstance(t.input, Mapping)]
    return next(iter([*objects, *usable]), None)


@dataclass(frozen=True)
class Loop:
    """One program on its way to a frozen driver."""

    box: Sandbox
    asker: Asker
    task: Task
    test: Test
    code: str
    language: str

    def settle(self, iterations: int) -> Frozen:
        """A driver that stood the trial, or why there is none."""
        driver = self._asked("executor_setup")
        if driver is None:
            return Frozen(None, "harness", "The planner gave no driver in the form asked for.")
        fault = problem = ""
        for n in range(1, iterations + 1):
            evidence = drive(
                self.box, self.task, self.test, self.code, driver, language=self.language
            )
            if evidence.status is Status.INFRA_ERROR:
                raise TrialFailed(evidence)
            problem = trouble(evidence)
            if not problem:
                return Frozen(driver, iterations=n)
            fault = self._origin(driver, evidence, problem)
            if fault == "code":  # evidence like any other: the driver did run the program
                return Frozen(driver, fault, problem, n)
            if origin(evidence) == "environment":  # a package that nobody can install here
                return Frozen(None, "environment", problem, n)
            if n < iterations:
                setting = {"folders": driver.folders, "environment": driver.environment}
                parts = {"driver": driver.text, "happened": happened(evidence, problem)}
                parts |= {"origin": f"the {fault}", "setting": json.dumps(setting)}
                driver = self._asked("harness_repair", **parts) or driver
        return Frozen(None, fault, problem, iterations)

    def _origin(self, driver: Driver, evidence: Evidence, problem: str) -> str:
        """Environment, harness or code; the driver's own exception needs no question."""
        if evidence.status is Status.HARNESS_ERROR:
            return origin(evidence)
        parts = {"driver": driver.text, "happened": happened(evidence, problem)}
        data = self._data("failure_class", CLASS, **parts)
        return data["origin"] if data else "harness"

    def _asked(self, family: str, **values: str) -> Driver | None:
        data = self._data(family, PLAN, **values)
        if data is None:
            return None
        return Driver(data["driver"], tuple(data["folders"]), tuple(data["environment"]))

    def _data(self, family: str, shape: Mapping[str, Any], **values: str) -> dict[str, Any] | None:
        known = {**self._program(), **values}
        word = prompting.ticket(family, sorted(known.items()))
        question = prompting.messages(family, ticket=word, **known)
        return self.asker.ask(question, shape, ticket=word).data

    def _program(self) -> dict[str, str]:
        """What every question shows: the program, its specification, one input, no expectation."""
        shape = shape_of(self.task)
        keys = ", ".join(shape.keys) or "none"
        example = json.dumps(self.test.input, ensure_ascii=False, indent=1)
        return {
            "specification": self.task.prompt,
            "language": LANGUAGES[self.language].title,
            "filename": LANGUAGES[self.language].program,
            "code": self.code,
            "example": example,
            "forms": f"kinds: {', '.join(sorted(shape.forms))}\nkeys, each may be missing: {keys}",
            "files": "\n".join(sorted(services.files(self.task))) or "none but the program",
        }


def trouble(evidence: Evidence) -> str:
    """Why a trial run is not usable, or "". A right answer is not asked for."""
    observed = evidence.observed
    if evidence.status is not Status.COMPLETED:
        return evidence.note or f"The run ended with status {evidence.status}."
    if observed.kind == "exception":
        return f"The program raised {observed.exception}: {observed.message}"
    if observed.kind == "output" and evidence.exit_code:
        return f"The program ended with exit code {evidence.exit_code}."
    return "" if observed.kind != "nothing" else "Nothing was reported."


def happened(evidence: Evidence, problem: str) -> str:
    """A trial run in words, for the questions about it."""
    parts = {
        "problem": problem,
        "lines of the program that ran": str(len(evidence.observed.lines)),
        "standard output": prompting.clipped(evidence.out, 3000),
        "standard error": prompting.clipped(evidence.err, 3000),
    }
    return "\n".join([wording.status(evidence), *(f"{n}: {text}" for n, text in parts.items())])


MODES = ("parse", "llm", "parse-then-llm")


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
        model, prompts = self.asker.model.identity, prompting.fingerprint(*FAMILIES)
        own = box_files.version(__name__)  # drivers are tried in any language
        return content_key(self.mode, model, prompts, self.iterations, self.asker.temperature, own)

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
            result = harness.run(box, task, test, code, language=language)
            if origin(result) != "harness":
                return result
        looking = getattr(harness.starter(runnable(language)), "look", None)
        look = partial(looking, box, task, code) if looking else None
        try:
            known = plan(code, READERS[language], task, look)
            if known.status is Status.COMPILE_ERROR:
                return Evidence(known.status, isolation=box.name, note=known.reason)
            frozen = self.frozen(home or box, task, code, language)
        except TrialFailed as failed:
            evidence: Evidence = failed.args[0]
            return evidence
        except box_files.BoxFailed as failure:
            return Evidence(Status.INFRA_ERROR, isolation=box.name, note=str(failure))
        except ModelError as error:
            note = f"The planner's service did not answer ({type(error).__name__}: {error})"
            return Evidence(Status.INFRA_ERROR, isolation=box.name, note=note)
        if frozen.driver is None and known.kind == "lacking":
            return harness.lacking(Evidence(known.status, isolation=box.name), known.reason)
        if frozen.driver is None:
            note = f"{frozen.origin}: {frozen.note} (after {frozen.iterations} trials)"
            return Evidence(Status.HARNESS_ERROR, isolation=box.name, note=note)
        result = drive(box, task, test, code, frozen.driver, language=language)
        return replace(result, note=" ".join(filter(None, (result.note, "Called by a driver."))))

    def frozen(self, box: Sandbox, task: Task, code: str, language: str) -> Frozen:
        """The frozen driver of a program: settled once, whichever of its tests comes first."""
        test = trial(task)
        if test is None:
            return Frozen(None, "harness", "The task has no functional test to try a driver on.")
        asked = (task.prompt, task.files, task.services, test.input, code, language)
        key = content_key("frozen", self.identity, box.identity, *asked)
        with self._locks.of(key):
            if (known := self.asker.cache.get(key)) is None:
                loop = Loop(box, self.asker, task, test, code, language)
                known = self.asker.cache[key] = asdict(loop.settle(self.iterations))
        return TypeAdapter(Frozen).validate_python(known)
