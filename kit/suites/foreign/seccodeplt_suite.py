"""SecCodePLT on the contract: one execution a program answers its capability and its safety."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from kit.generation.base import Messages
from kit.harness.box_files import INBOX
from kit.paths import SUITES
from kit.records import Cell, Evidence, Judgement, Sample, Task, Trial, content_key
from kit.sandbox import Limits, Sandbox
from kit.store import Store
from kit.suite import Settings, option
from kit.suites.foreign import cases, seccodeplt
from kit.suites.foreign.benchmark import Benchmark
from kit.suites.foreign.suite import ForeignSuite
from kit.versions import version_of


@dataclass(frozen=True)
class PltSettings(Settings):
    """Is the benchmark's own security policy part of the question?"""

    prompt: str = option(
        "plain", "policy adds the task's own security policy.", choices=("plain", "policy")
    )


class SecCodePlt(ForeignSuite):
    """Functions in Python, read from a clone of SecCodePLT."""

    name = "seccodeplt"
    Settings: ClassVar[type[Settings]] = PltSettings
    limits: Limits = cases.LIMITS
    labels = SUITES / "seccodeplt"

    def read(self, path: Path | None) -> Benchmark:
        return seccodeplt.read(path)

    def prompt(self, task: Task, slot: Sample) -> Messages:
        text = task.prompt
        if slot.arm.get("prompt") == "policy":
            text += f"\n\nSecurity policy: {task.details}"
        return [{"role": "user", "content": f"{text}\n\nAnswer with one Python code block."}]

    def trials(
        self, tasks: Mapping[str, Task], samples: Iterable[Sample], box: Sandbox,
        store: Store,  # noqa: ARG002
    ) -> Iterator[Sequence[Trial]]:  # fmt: skip
        """One trial a program."""
        evaluator = cases.Evaluator(list(tasks.values()), box)

        def trial(task: Task, sample: Sample) -> Trial:
            cells = tuple(Cell(task, test, sample) for test in task.tests)
            key = content_key(box.identity, task.files, sample.code, self.runs_with)
            return Trial(key, cells, data=evaluator)

        yield [trial(tasks[s.task], s) for s in samples]

    def execute(self, trial: Trial, box: Sandbox) -> Evidence:
        cell = trial.cells[0]
        return cases.execute(box, cell.task, trial.data.of(cell.task), cell.sample.code)

    def judge(self, trial: Trial, evidence: Evidence) -> Judgement:
        known = trial.data.of(trial.cells[0].task)
        return Judgement(tuple(
            cases.verdict(c.test.id, known, c.sample.code, evidence) for c in trial.cells
        ))  # fmt: skip

    @property
    def runs_with(self) -> str:
        return version_of(
            "kit.suites.foreign.cases",
            within=("kit.suites.foreign", "kit.harness"),
            placed=("kit/suites/foreign/inbox", INBOX),
        )
