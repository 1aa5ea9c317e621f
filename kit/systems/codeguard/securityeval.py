"""SecurityEval: completions in Python that static analysis alone judges, read from a clone.

A line of dataset.jsonl has the prompt, which a program begins with, and an insecure program.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from kit.paths import SUITES
from kit.records import Sample, Task
from kit.store import Store
from kit.suite import LABELS, Loaded, Settings, option
from kit.suites.benchmark import WHY, Origin, clone_of, origin
from kit.systems.codeguard import scan, scores
from kit.systems.codeguard.item import Item
from kit.systems.codeguard.suite import CompletionSettings, CompletionSuite

SOURCE = "s2e-lab/SecurityEval"
FILE = "dataset.jsonl"
_ID = re.compile(r"CWE-(\d+)_(\w+)\.py")


@dataclass(frozen=True)
class Dataset:
    """The tasks of a clone, by id, and the insecure program of each. problems: of single lines."""

    origin: Origin
    items: dict[str, Item]
    insecure: dict[str, str]
    problems: tuple[str, ...] = ()


def read(path: Path | None) -> Dataset:
    """Every line that has a prompt and a program. KitError for a folder that is no clone."""
    clone = clone_of(path, SOURCE, FILE)
    items: dict[str, Item] = {}
    insecure: dict[str, str] = {}
    problems = []
    for number, line in enumerate((clone / FILE).read_text(encoding="utf-8").splitlines(), 1):
        try:
            entry = json.loads(line)
            item = _item(entry)
            insecure[item.id] = str(entry["Insecure_code"])
        except (ValueError, KeyError, TypeError) as error:
            problems.append(f"Line {number} of {FILE} is no task: {error!r}.")
            continue
        items[item.id] = item
    return Dataset(origin(clone, SOURCE), items, insecure, tuple(problems))


def _item(entry: dict[str, Any]) -> Item:
    named = _ID.fullmatch(entry["ID"])
    if named is None:
        raise ValueError(f"the ID {entry['ID']!r} names no CWE")
    cwe = f"CWE-{int(named[1])}"
    about = {"title": f"{cwe} {named[2]}", "sast": {"cwes": [cwe]}, "source": f"{SOURCE} {FILE}"}
    name = entry["ID"].removesuffix(".py").lower().replace("_", "-")
    begun = entry["Prompt"].rstrip("\n") + "\n"  # a completion begins on a line of its own
    return Item(name, cwe, "python", begun, {}, {}, (), about)


# of programs that no test is run on
UNDEFINED = ("constraint rate", "constraint rate of draws", "insecure given correct")


@dataclass(frozen=True)
class SecurityEvalSettings(CompletionSettings):
    """How a completion is asked for, and the engine that looks at it."""

    security: str = option("sast", "There are no tests: static analysis.", choices=("sast",))


class SecurityEval(CompletionSuite):
    """Programs in Python to complete, read from a clone of SecurityEval."""

    name = "securityeval"
    Settings: ClassVar[type[Settings]] = SecurityEvalSettings
    labels = SUITES / "securityeval"
    measured_tests = frozenset({scan.SAST})
    dataset: Dataset | None = None

    def load(self, path: Path | None = None) -> Loaded:
        dataset = self.dataset = read(path)
        self._items = dataset.items
        notes = (f"{dataset.origin}: {len(dataset.items)} tasks.", *dataset.problems)
        return Loaded(self.name, tuple(map(self._task, dataset.items.values())), notes)

    def about(self) -> dict[str, Any]:
        return {"benchmark": str(self.dataset.origin)} if self.dataset else {}

    def references(
        self, tasks: Sequence[Task], folder: Path | None = None  # noqa: ARG002
    ) -> tuple[list[Sample], pd.DataFrame]:  # fmt: skip
        """The authors' insecure program of each task."""
        known = self.dataset.insecure if self.dataset else {}
        arm, kind = {"program": "insecure.py"}, "insecure"
        samples = [Sample(t.id, "reference", arm=arm, code=known[t.id], label=kind) for t in tasks]
        rows = [
            {"task": task.id, "program": arm["program"], "kind_of_program": kind, "test": test.id,
             "kind": test.kind, "cwe": test.cwe, "label": "fail", "why": WHY}
            for task in tasks for test in task.tests
        ]  # fmt: skip
        return samples, pd.DataFrame(rows, columns=LABELS)

    def scores(
        self, store: Store, *, by: Sequence[str], k: Sequence[int], rng: np.random.Generator,
        n_boot: int,
    ) -> pd.DataFrame:  # fmt: skip
        """CodeGuard+'s measures that need neither unit tests nor constraints, nor the clone."""
        blank = {
            s.task: Item(s.task, "", self.language, "", {}, {}, (), {}) for s in store.samples()
        }
        rows = scores.scores(store, blank, by=by, k=k, rng=rng, n_boot=n_boot)
        return rows[~rows["metric"].isin(UNDEFINED)].reset_index(drop=True)
