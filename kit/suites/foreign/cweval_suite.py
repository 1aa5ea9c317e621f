"""CWEval on the contract: one execution a program answers its functionality and its security."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from kit.generation.base import Messages, Response
from kit.generation.generate import sample_of
from kit.harness.box_files import INBOX
from kit.languages import LANGUAGES
from kit.paths import SUITES
from kit.records import Cell, Evidence, Judgement, Sample, Status, Task, Trial, content_key
from kit.sandbox import Limits, Sandbox
from kit.store import Store
from kit.suite import Settings
from kit.suites.foreign import cweval, pytests
from kit.suites.foreign.benchmark import Benchmark
from kit.suites.foreign.suite import ForeignSuite
from kit.versions import version_of


class CwEval(ForeignSuite):
    """Functions in Python, JavaScript, C and C++, read from a clone of CWEval."""

    name = "cweval"
    Settings = Settings
    limits: Limits = pytests.LIMITS
    labels = SUITES / "cweval"

    def read(self, path: Path | None) -> Benchmark:
        return cweval.read(path)

    def prompt(self, task: Task, slot: Sample) -> Messages:
        language = LANGUAGES[slot.language]
        text = (
            f"Complete this {language.title} function. Answer with one code block that holds the "
            "whole function and everything it needs from libraries, and neither tests nor a main "
            f"program.\n\n```{language.tags.split()[0]}\n{task.prompt}\n```"
        )
        return [{"role": "user", "content": text}]

    def sample(self, slot: Sample, response: Response) -> Sample:
        made = sample_of(slot, response)
        if made.status is not Status.COMPLETED or self.benchmark is None:
            return made
        task = next(t for t in self.benchmark.tasks if t.id == slot.task)
        end = pytests.text(task, "entrypoint")
        if not end:
            return made
        return replace(made, code=f"{pytests.text(task, 'includes')}{made.code}\n\n{end}")

    def trials(
        self, tasks: Mapping[str, Task], samples: Iterable[Sample], box: Sandbox,
        store: Store,  # noqa: ARG002
    ) -> Iterator[Sequence[Trial]]:  # fmt: skip
        """One trial a program."""
        known = self.benchmark.references if self.benchmark else ()
        safe = {r.task: r.code for r in known if r.kind == "secure"}
        collector = pytests.Collector(list(tasks.values()), safe, box)

        def trial(task: Task, sample: Sample) -> Trial:
            cells = tuple(Cell(task, test, sample) for test in task.tests)
            key = content_key(box.identity, task.files, safe[task.id], sample.code, self.runs_with)
            return Trial(key, cells, data=collector)

        yield [trial(tasks[s.task], s) for s in samples]

    def execute(self, trial: Trial, box: Sandbox) -> Evidence:
        task, sample = trial.cells[0].task, trial.cells[0].sample
        language = self.language_of(task.id)
        return pytests.execute(box, task, trial.data.of(task), sample.code, language)

    def judge(self, trial: Trial, evidence: Evidence) -> Judgement:
        task = trial.cells[0].task
        cases, language = trial.data.of(task), self.language_of(task.id)
        return Judgement(tuple(
            pytests.verdict(c.test.id, cases, c.sample.code, language, evidence)
            for c in trial.cells
        ))  # fmt: skip

    @property
    def runs_with(self) -> str:
        return version_of(
            "kit.suites.foreign.pytests",
            within=("kit.suites.foreign", "kit.harness"),
            placed=("kit/suites/foreign/inbox", INBOX),
        )
