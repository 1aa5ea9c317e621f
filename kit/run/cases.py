"""The common part of benchmarks whose tasks, tests and labelled programs come from a clone."""
# ruff: noqa: ARG002 - the methods of a suite take what other suites need

import sys
import threading
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from kit.core.languages import try_parse_python
from kit.core.records import Cell, Evidence, Judgement, Sample, Task, Trial, Verdict, content_key
from kit.core.store import Store
from kit.harness.languages import READERS
from kit.run.clones import WHY, Benchmark, Reference
from kit.run.suite import LABELS, Loaded, Suite
from kit.sandbox import Sandbox


def missing_import(names: Iterable[str], program: str, language: str = "python") -> str:
    """The first of these missing modules that the program's own source imports, or "".

    Our sandbox should provide such a module. A module that only an attack's input names is not one
    of the program's imports.
    """
    modules = set(names)
    if language == "python":
        if try_parse_python(program) is None:
            return ""
        modules = {name.partition(".")[0] for name in modules}
    missing = modules - sys.stdlib_module_names - {""}
    if not missing:
        return ""
    return min(missing & READERS[language](program).imports, default="")


def read_task_file(task: Task, name: str) -> str:
    """A file of the task as text, exactly as in the benchmark's JSON."""
    return task.files[name].decode("utf-8", "surrogatepass")


class CasesOfTasks:
    """The cases of each task, by its id, read on first request, `together` tasks at a time.

    A request raises OSError or KitError if our own sandbox does not run.
    """

    def __init__(
        self,
        tasks: Sequence[Task],
        together: int,
        read_cases: Callable[[Sequence[Task]], dict[str, Any]],
    ) -> None:
        self.tasks, self.together, self.read_cases = tasks, together, read_cases
        self.known: dict[str, Any] = {}
        self.lock = threading.Lock()

    def __getitem__(self, task: str) -> Any:
        with self.lock:
            if task not in self.known:
                place = [task.id for task in self.tasks].index(task)
                first = place - place % self.together
                self.known |= self.read_cases(self.tasks[first : first + self.together])
            return self.known[task]


def sample_of_reference(program: Reference) -> Sample:
    """A labelled program as a sample of the model `reference`."""
    return Sample(
        program.task,
        "reference",
        language=program.language,
        arm={"program": program.name},
        code=program.code,
        label=program.kind,
    )


class CaseSuite(Suite):
    """A suite whose tasks, tests and labelled programs come from a clone.

    One execution of a program answers all tests of its task. The cases are read before any
    candidate runs.

    together: tasks per sandbox when cases are read.
    labels: the folder with our validation.json, which records how the authors' programs behaved; it
    contains none of their programs.
    """

    leaves_out = True
    together: int
    benchmark = Benchmark("", (), ())  # until one is loaded

    @abstractmethod
    def read(self, path: Path | None) -> Benchmark:
        """Read the clone. Raises KitError if the folder is not one."""

    def load(self, path: Path | None = None) -> Loaded:
        benchmark = self.benchmark = self.read(path)
        notes = (f"{benchmark.origin}: {len(benchmark.tasks)} tasks.", *benchmark.problems)
        return Loaded(self.name, benchmark.tasks, notes)

    def about(self) -> dict[str, Any]:
        return {"benchmark": self.benchmark.origin} if self.benchmark.origin else {}

    def language_of(self, task: str) -> str:
        """The language of the authors' programs for the task."""
        for reference in self.benchmark.references:
            if reference.task == task:
                return reference.language
        return self.language

    def references(
        self, tasks: Sequence[Task], folder: Path | None = None
    ) -> tuple[list[Sample], pd.DataFrame]:
        """The authors' programs of these tasks, and a row for each of their tests."""
        by_id = {task.id: task for task in tasks}
        samples, rows = [], []
        for reference in self.benchmark.references:
            if reference.task not in by_id:
                continue
            samples.append(sample_of_reference(reference))
            for test in by_id[reference.task].tests:
                if label := reference.labels.get(test.id):
                    program = (reference.task, reference.name, reference.kind)
                    rows.append((*program, test.id, test.kind, test.cwe, label, WHY))
        return samples, pd.DataFrame(rows, columns=LABELS)

    def measured(
        self,
        tasks: Sequence[Task],
        samples: Sequence[Sample],
        rows: pd.DataFrame,
        box: Sandbox,
        store: Store,
    ) -> tuple[dict[str, Any], str]:
        """How many tasks behave as their authors' labels say, and why the others do not."""
        differing = rows[rows["label"] != rows["outcome"]]
        flaws: dict[str, list[str]] = {}
        for row in differing.itertuples():
            verdict = store.cell(str(row.slot), str(row.test))[1]
            sentence = verdict.sentence if verdict else "It was not judged."
            what = f"{row.program} {row.test}: label {row.label}, outcome {row.outcome}. {sentence}"
            flaws.setdefault(str(row.task), []).append(what)
        ideal = len(tasks) - len(flaws)
        origin = self.benchmark.origin
        result = {"benchmark": origin, "ideal": ideal, "of": len(tasks), "misbehaving": flaws}
        text = f"{origin}: {ideal} of {len(tasks)} tasks behave as their authors' labels say."
        if flaws:
            text += f" The other {len(flaws)} stay out of the score:"
        for name, sentences in flaws.items():
            text += f"\n  {name}: {' '.join(sentences)}"
        return result, text

    def identity(self, cell: Cell) -> str:
        return content_key(cell.test, cell.task.files, cell.sample.code, self.sources)

    @abstractmethod
    def cases(self, box: Sandbox, tasks: Sequence[Task]) -> dict[str, Any]:
        """The cases of each task, by its id."""

    @abstractmethod
    def run(self, box: Sandbox, task: Task, cases: Any, program: str) -> Evidence:
        """All cases of a task on one program, in one run."""

    def execute(self, trial: Trial, box: Sandbox) -> Evidence:
        cell = trial.cells[0]
        return self.run(box, cell.task, trial.data[cell.task.id], cell.sample.code)

    @abstractmethod
    def verdict(self, cell: Cell, cases: Any, evidence: Evidence) -> Verdict:
        """The verdict of one test on the program, given the cases of the task."""

    def beside(self, task: Task) -> str:
        """What else decides the cases, apart from the task's own files."""
        return ""

    def trials(
        self, tasks: Mapping[str, Task], samples: Iterable[Sample], box: Sandbox, store: Store
    ) -> Iterator[Sequence[Trial]]:
        """One trial per program."""
        cases = CasesOfTasks([*tasks.values()], self.together, partial(self.cases, box))

        trials = []
        for sample in samples:
            task = tasks[sample.task]
            cells = tuple(Cell(task, test, sample) for test in task.tests)
            decides = (task.files, self.beside(task), sample.code, self.sources)
            trials.append(Trial(content_key(box.identity, *decides), cells, data=cases))
        yield trials

    def judge(self, trial: Trial, evidence: Evidence) -> Judgement:
        cases = trial.data[trial.cells[0].task.id]
        return Judgement(tuple(self.verdict(c, cases, evidence) for c in trial.cells))
