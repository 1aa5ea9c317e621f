"""A benchmark of somebody else on the contract: what every importer's suite has in common."""

from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from kit.records import Cell, Sample, Task, content_key
from kit.sandbox import Sandbox
from kit.store import Store
from kit.suite import LABELS, Loaded, Suite
from kit.suites.foreign.benchmark import Benchmark

WHY = "A label of the benchmark's authors."


class ForeignSuite(Suite):
    """Tasks, tests and labelled programs come from a clone; what is known of them is ours.

    labels: the folder with validation.json, which says how the authors' own programs behaved; no
    program of theirs is in it.
    """

    leaves_out = True
    benchmark: Benchmark | None = None

    @property
    @abstractmethod
    def runs_with(self) -> str:
        """The version of what executes its tests and compares."""

    @abstractmethod
    def read(self, path: Path | None) -> Benchmark:
        """What the clone holds; KitError where it is none."""

    def load(self, path: Path | None = None) -> Loaded:
        found = self.benchmark = self.read(path)
        said = (f"{found.origin}: {len(found.tasks)} tasks.", *found.problems)
        return Loaded(self.name, found.tasks, said)

    def about(self) -> dict[str, Any]:
        return {"benchmark": str(self.benchmark.origin)} if self.benchmark else {}

    def language_of(self, task: str) -> str:
        known = self.benchmark.languages if self.benchmark else {}
        return known.get(task, self.language)

    def references(
        self, tasks: Sequence[Task], folder: Path | None = None  # noqa: ARG002
    ) -> tuple[list[Sample], pd.DataFrame]:  # fmt: skip
        """The authors' programs of these tasks, and a row for each of their tests."""
        by_id = {t.id: t for t in tasks}
        mine = [r for r in (self.benchmark.references if self.benchmark else ())
                if r.task in by_id]  # fmt: skip
        samples = [
            Sample(r.task, "reference", language=r.language, arm={"program": r.name}, code=r.code,
                   label=r.kind)
            for r in mine
        ]  # fmt: skip
        rows = [
            {"task": r.task, "program": r.name, "kind_of_program": r.kind, "test": t.id,
             "kind": t.kind, "cwe": t.cwe, "label": r.labels[t.id], "why": WHY}
            for r in mine for t in by_id[r.task].tests if t.id in r.labels
        ]  # fmt: skip
        return samples, pd.DataFrame(rows, columns=LABELS)

    def measured(
        self, tasks: Sequence[Task],
        samples: Sequence[Sample],  # noqa: ARG002
        rows: pd.DataFrame,
        box: Sandbox,  # noqa: ARG002
        store: Store,
    ) -> tuple[dict[str, Any], str]:  # fmt: skip
        """How many tasks behave as their authors say, and for each of the others why not."""
        odd = rows[rows["label"] != rows["outcome"]]
        why: dict[str, list[str]] = {}
        for row in odd.itertuples():
            verdict = store.cell(str(row.slot), str(row.test))[1]
            said = verdict.sentence if verdict else "It was not judged."
            what = f"{row.program} {row.test}: label {row.label}, outcome {row.outcome}. {said}"
            why.setdefault(str(row.task), []).append(what)
        ideal = len(tasks) - len(why)
        origin = self.about()["benchmark"]
        told = {"benchmark": origin, "ideal": ideal, "of": len(tasks), "misbehaving": why}
        text = f"{origin}: {ideal} of {len(tasks)} tasks behave as their authors' labels say."
        if why:
            text += f" The other {len(why)} stay out of the score:"
        return told, "\n  ".join([text, *(f"{name}: {' '.join(w)}" for name, w in why.items())])

    def version(self, task: Task) -> str:  # noqa: ARG002
        return self.runs_with

    def identity(self, cell: Cell) -> str:
        return content_key(cell.test, cell.task.files, cell.sample.code, self.version(cell.task))
