"""A planner that asks a model how a program is called, alone or where parsing could not tell.

The driver of a program is settled on one test, frozen, kept in the cache of answers, and reused for
every other test of that program without a further question.
"""

from dataclasses import dataclass, field, replace
from typing import Any

from kit import harness
from kit.errors import KitError
from kit.generation import prompting
from kit.generation.base import ModelError
from kit.generation.structured import Asker, Locks
from kit.harness import box_files
from kit.harness.llm.driven import Driver, drive
from kit.harness.llm.repair import FAMILIES, ITERATIONS, Frozen, Loop, TrialFailed, trial
from kit.harness.origin import origin
from kit.harness.plan import plan
from kit.harness.read import READERS
from kit.languages import runnable
from kit.records import Evidence, Status, Task, Test, content_key
from kit.sandbox.base import Sandbox

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
            seen = harness.run(box, task, test, code, language=language)
            if origin(seen) != "harness":
                return seen
        runnable(language)
        if (known := plan(code, READERS[language], task)).status is Status.COMPILE_ERROR:
            return Evidence(known.status, isolation=box.name, note=known.reason)
        try:
            frozen = self.frozen(home or box, task, code, language)
        except TrialFailed as failed:
            return failed.evidence
        except ModelError as error:
            note = f"The planner's service did not answer ({type(error).__name__}: {error})"
            return Evidence(Status.INFRA_ERROR, isolation=box.name, note=note)
        if frozen.driver is None:
            note = f"{frozen.origin}: {frozen.note} (after {frozen.iterations} trials)"
            return Evidence(Status.HARNESS_ERROR, isolation=box.name, note=note)
        seen = drive(box, task, test, code, frozen.driver, language=language)
        return replace(seen, note=" ".join(filter(None, (seen.note, "Called by a driver."))))

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
                known = _packed(loop.settle(iterations=self.iterations))
                self.asker.cache[key] = known
        return _unpacked(known)


def _packed(frozen: Frozen) -> dict[str, Any]:
    driver = frozen.driver
    parts = driver and {
        "text": driver.text, "folders": driver.folders, "environment": driver.environment
    }  # fmt: skip
    return {**vars(frozen), "driver": parts}


def _unpacked(data: dict[str, Any]) -> Frozen:
    parts = data["driver"]
    if parts is None:
        return Frozen(**data)
    lists = {name: tuple(parts[name]) for name in ("folders", "environment")}
    return Frozen(**{**data, "driver": Driver(parts["text"], **lists)})
