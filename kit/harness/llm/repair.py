"""The bounded loop around one trial test: classify a failure, mend environment or harness, freeze.

The candidate's code is never edited, and no expected output enters any question: a driver is usable
when the program ran and something was observed, not when the answer is right.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kit.generation import prompting, structured
from kit.generation.structured import Asker
from kit.harness import forms, services
from kit.harness.llm.driven import Driver, drive
from kit.harness.origin import ORIGINS, origin
from kit.languages import LANGUAGES
from kit.records import Evidence, Status, Task, Test
from kit.sandbox.base import Sandbox

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
    """The machine, not the driver: nothing is concluded from this trial."""

    def __init__(self, evidence: Evidence) -> None:
        super().__init__(evidence.note)
        self.evidence = evidence


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

    def settle(self, *, iterations: int = ITERATIONS) -> Frozen:
        """A driver that stood the trial, or why there is none."""
        driver = self._asked("executor_setup")
        if driver is None:
            return Frozen(None, "harness", "The planner gave no driver in the form asked for.")
        fault = problem = ""
        for n in range(1, iterations + 1):
            seen = drive(self.box, self.task, self.test, self.code, driver, language=self.language)
            if seen.status is Status.INFRA_ERROR:
                raise TrialFailed(seen)
            problem = trouble(seen)
            if not problem:
                return Frozen(driver, iterations=n)
            fault = self._origin(driver, seen, problem)
            if fault == "code":  # evidence like any other: the driver did run the program
                return Frozen(driver, fault, problem, n)
            if origin(seen) == "environment":  # a package that nobody can install here
                return Frozen(None, "environment", problem, n)
            if n < iterations:
                told = {"origin": f"the {fault}", "setting": _setting(driver)}
                parts = {"driver": driver.text, "happened": happened(seen, problem), **told}
                driver = self._asked("harness_repair", **parts) or driver
        return Frozen(None, fault, problem, iterations)

    def _origin(self, driver: Driver, seen: Evidence, problem: str) -> str:
        """Environment, harness or code; the driver's own exception needs no question."""
        if seen.status is Status.HARNESS_ERROR:
            return origin(seen)
        data = self._data(
            "failure_class", CLASS, driver=driver.text, happened=happened(seen, problem)
        )
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
        shape = forms.shape(self.task)
        keys = ", ".join([*shape.keys, *shape.late_keys]) or "none"
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
    seen = evidence.observed
    if evidence.status is not Status.COMPLETED:
        return evidence.note or f"The run ended with status {evidence.status}."
    if seen.kind == "exception":
        return f"The program raised {seen.exception}: {seen.message}"
    if seen.kind == "output" and evidence.exit_code:
        return f"The program ended with exit code {evidence.exit_code}."
    return "" if seen.kind != "nothing" else "Nothing was reported."


def happened(evidence: Evidence, problem: str) -> str:
    """A trial run in words, for the questions about it."""
    parts = {
        "problem": problem,
        "status": f"{evidence.status}, exit code {evidence.exit_code}, {evidence.wall_s:.0f} s",
        "lines of the program that ran": str(len(evidence.observed.lines)),
        "standard output": prompting.clipped(evidence.out, 3000),
        "standard error": prompting.clipped(evidence.err, 3000),
    }
    return "\n".join(f"{name}: {text}" for name, text in parts.items())


def _setting(driver: Driver) -> str:
    return json.dumps({"folders": driver.folders, "environment": driver.environment})
