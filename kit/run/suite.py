"""Defines Suite: the interface that the pipeline, the commands and the notebooks use.

A suite defines in seven methods what models are asked and how an answer is checked; everything
after that (store, frame, score, export, repeats, validation against labels, explorer, sweeps) is
the same for all.
"""
# ruff: noqa: ARG002 - a default does without what other suites need

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from kit.core.errors import KitError
from kit.core.paths import REFERENCES
from kit.core.records import Cell, Evidence, Judgement, Sample, Task, Trial
from kit.core.store import Store
from kit.generation import hints
from kit.generation.base import Messages, Model, Response
from kit.harness.extract import sample_of
from kit.sandbox import Limits, Sandbox
from kit.scoring import measures

Go = Callable[[str, Sequence[Task], str, Any], Path]  # (name, tasks, model, settings) -> the run
LABELS = ["task", "program", "kind_of_program", "test", "kind", "cwe", "label", "why"]


def define_option(default: Any, text: str, **more: Any) -> Any:
    """A field of Settings: its default and its help on the command line; `least` bounds numbers."""
    return field(default=default, metadata={"help": text, **more})


@dataclass(frozen=True)
class Settings:
    """The sampling settings of a model. Each is an option of `kit run` and of a sweep's arm.

    A value of None is not sent. Every value that is sent is a column of the tidy table.
    """

    prompt: str = define_option("plain", "Prompt variant.")
    temperature: float | None = define_option(
        None, "Sampling temperature; default: not sent.", least=0.0
    )
    top_p: float | None = define_option(
        None, "Nucleus sampling threshold; default: not sent.", least=0.0
    )
    max_tokens: int | None = define_option(2048, "Maximum number of tokens per answer.", least=1)
    thinking: str | None = define_option(
        None,
        "Reasoning: low, medium or high (openai); a number of "
        "tokens or off (anthropic); default: not sent.",
    )
    stop: str | None = define_option(None, "Stop sequence; default: none.")
    system: str | None = define_option(None, "System prompt; default: none.")
    extra: str | None = define_option(None, "JSON object of further request fields; default: none.")
    seed: int | None = define_option(
        None, "Seed of the first sample, plus 1 per sample; default: none."
    )
    hint: str | None = define_option(
        None, "Security hint in the prompt; default: none.", choices=hints.LEVELS
    )
    calls: int | None = define_option(
        None, "Number of rounds of --hint feedback; default: 1.", least=1, flag="--repair-rounds"
    )
    unasked: ClassVar[tuple[str, ...]] = ()  # settings that do not change what a model is asked

    @property
    def arm(self) -> dict[str, Any]:
        """These settings as columns of the tidy table, without `language`."""
        arm = {}
        for name, value in vars(self).items():
            if value is not None and name != "language" and name not in self.unasked:
                arm[name] = value
        return arm


@dataclass(frozen=True)
class Loaded:
    """A suite's tasks. `problems`: a sentence for each item that is missing or incomplete."""

    name: str
    tasks: tuple[Task, ...]
    problems: tuple[str, ...] = ()

    def task(self, task_id: str) -> Task:
        """The task with this id; KitError that names the known ones."""
        return self.select_tasks([str(task_id)])[0]

    def select_tasks(self, only: Iterable[str] = (), *, limit: int = 0) -> list[Task]:
        """The tasks with these ids, or all; KitError that names the unknown ones.

        limit: the maximum number, taken evenly over all; 0 takes all.
        """
        by_id = {task.id: task for task in self.tasks}
        wanted = list(filter(None, map(str.strip, only)))
        unknown = [name for name in wanted if name not in by_id]
        if unknown:
            names = ", ".join(sorted(by_id))
            raise KitError(f"No task {', '.join(unknown)} in {self.name}. Use some of: {names}.")
        selected = [task for name, task in by_id.items() if not wanted or name in wanted]
        return pick_tasks_evenly(selected, limit)


def pick_tasks_evenly(tasks: Sequence[Task], limit: int | None = None) -> list[Task]:
    """`limit` of the tasks, taken evenly over all; None or 0 takes all."""
    size = min(limit or len(tasks), len(tasks))
    return [tasks[n * len(tasks) // size] for n in range(size)]


class Suite(ABC):
    """One suite. A new one defines the abstract methods, overrides others, edits no other file.

    name: on the command line; of a folder with a suite.py it is its path. Settings: how it asks.
    limits: of the box for its trials. sources: the version of a folder's suite.py and of all that
    decides with it; "" for the kit's own, whose `identity` says that part by part.
    """

    name: ClassVar[str]
    sources: ClassVar[str] = ""
    Settings: ClassVar[type["Settings"]] = Settings
    limits: Limits = Limits()
    data: Path | None = None  # the folder of tasks of a stored run, if it is not the kit's
    labels: Path = REFERENCES  # folder of its labelled programs, and of how they behaved
    language: str = "python"  # of its programs, where its settings do not say
    measured_tests: frozenset[str] = frozenset()  # their oracle is measured; no task depends on it
    settings: Any = None  # its configuration; None where settings change nothing
    loading: tuple[str, ...] = ()  # the settings that determine what is loaded, and what decides
    aside: tuple[Task, ...] = ()  # quarantined when loaded: not among the tasks, but validated
    leaves_out: bool = False  # tasks whose references misbehave: left out, not refused
    completes: bool = False  # is a program its task's prompt and a completion of it?
    prompts: Mapping[str, str] = {}  # of the tasks that are loaded, by id
    repeats: bool = True  # can each of its trials be executed again by itself?

    @property
    def name_in_runs(self) -> str:
        """The name with which the default names of its runs begin."""
        return Path(self.name).name.replace(" ", "-")

    @property
    def run_sizes(self) -> Mapping[str, int]:
        """The n and the seeds of a run, where its settings state them."""
        return {}

    @property
    def variant(self) -> str:
        """The part of a run's default name that its settings determine."""
        return ""

    @property
    def decided(self) -> str:
        """Distinguishes validations without exploit tests; "" for those that have them."""
        security = getattr(self.settings, "security", "")
        return f" --security {security}" if security in ("sast", "adjudicated") else ""

    def with_settings(self, settings: Any) -> "Suite":
        """The suite with these settings, such as another project."""
        return self if self.settings is None else type(self)(settings)  # type: ignore[call-arg]

    def read_settings(self, meta: Mapping[str, Any]) -> dict[str, Any]:
        """The settings of a stored run with this meta."""
        return dict(meta.get("settings", {}))

    def about(self) -> dict[str, Any]:
        """Facts about the suite for a run's notes: versions, settings; JSON values."""
        return {}

    def model(self, spec: str) -> Model | None:
        """A model that only this suite has, by its name; None for all other names."""
        return None

    def language_of(self, task: str) -> str:
        """The language of the programs of the task with this id."""
        return self.language

    @abstractmethod
    def load(self, path: Path | None = None) -> Loaded:
        """The tasks below `path`, or the suite's own."""

    @abstractmethod
    def prompt(self, task: Task, slot: Sample) -> Messages:
        """The whole prompt; the slot's arm and language are the settings."""

    def question(self, task: Task, slot: Sample, every: Sequence[str]) -> Messages:
        """All that is asked for a slot: system prompt, `prompt`, security hint.

        every: the weaknesses of all tasks' tests.
        """
        system = slot.arm.get("system")
        first = [{"role": "system", "content": system}] if system else []
        asked = [*first, *self.prompt(task, slot)]
        cwes = [t.cwe for t in task.tests]
        return hints.add_advice(asked, slot.arm.get("hint"), cwes=cwes, every=every)

    def sample(self, slot: Sample, response: Response) -> Sample:
        """The program (or edit, or completion) in an answer; the status if there is none."""
        return sample_of(slot, response, self.prompts.get(slot.task, ""))

    def forecast(self, samples: int) -> str:  # noqa: ARG002
        """How long so many samples take to execute here, in a sentence; "" says nothing."""
        return ""

    def adopt_answers(self, samples: Sequence[Sample]) -> list[Sample]:
        """Recorded samples as those of this suite's tasks; of no task where it has none of them."""
        return list(samples)

    def recorded_programs(self, path: Path) -> tuple[list[Sample], pd.DataFrame]:
        """The programs that a clone has on record, and a row for each with what its tests gave."""
        raise KitError(f"The suite {self.name} imports no programs. Use kit evaluate --programs.")

    def take_program(self, sample: Sample) -> Sample:
        """What this suite executes of a program that somebody has in a file."""
        return sample

    @abstractmethod
    def trials(
        self, tasks: Mapping[str, Task], samples: Iterable[Sample], box: Sandbox, store: Store
    ) -> Iterator[Sequence[Trial]]:
        """Rounds of trials. A round may depend on what earlier rounds left in the store."""

    @abstractmethod
    def execute(self, trial: Trial, box: Sandbox) -> Evidence:
        """The evidence of the trial in the sandbox; KitError and OSError are failures of ours."""

    @abstractmethod
    def judge(self, trial: Trial, evidence: Evidence) -> Judgement:
        """A verdict for each cell of the trial, and its findings; nothing is executed."""

    @abstractmethod
    def identity(self, cell: Cell) -> str:
        """Everything but the evidence on which the cell's verdict depends: versions, labels, ..."""

    def version(self, task: Task) -> str:
        """Everything but task and labels on which a validation depends: harness and oracle."""
        return self.sources

    def programs(self, task: Task, folder: Path) -> Path:
        """The folder with the labelled programs of a task and their labels.json."""
        return folder / task.id

    def references(
        self, tasks: Sequence[Task], folder: Path = REFERENCES
    ) -> tuple[list[Sample], pd.DataFrame]:
        """Labelled programs of these tasks (none by default), and a row per program and test."""
        return [], pd.DataFrame(columns=LABELS)

    def find_doubts(self, task: Task) -> list[str]:
        """What an author or a reviewer should look at in a task, a sentence each."""
        return []

    def selfcheck(self, tasks: Sequence[Task], go: Go) -> tuple[dict[str, Any], str] | None:
        """How a suite without labels validates itself: JSON values with `ok`, and a text; or None.

        go: lets a model answer these tasks with these settings, in a run of that name.
        """
        return None

    def measured(
        self,
        tasks: Sequence[Task],
        samples: Sequence[Sample],
        rows: pd.DataFrame,
        box: Sandbox,
        store: Store,
    ) -> tuple[dict[str, Any], str]:
        """Further results of a validation, besides the labels' agreement: JSON values, and text.

        rows: labels joined to outcomes. store: of the run that holds these samples, judged.
        """
        return {}, ""

    def scores(
        self,
        store: Store,
        *,
        by: Sequence[str],
        k: Sequence[int],
        rng: np.random.Generator,
        n_boot: int,
    ) -> pd.DataFrame:
        """The measures of a run, one row per group and metric (see kit.scoring.measure)."""
        return measures.measure(store.frames(), by=by, k=k, rng=rng, n_boot=n_boot)

    def close(self) -> None:  # noqa: B027
        """Release what trials needed besides the box."""
