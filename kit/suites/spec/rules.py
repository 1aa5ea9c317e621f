"""The general rules by themselves: labelled security tests with their probes switched off.

Programs run as they always do, so that their evidence is that of an ordinary validation; the
verdict is what the rules alone say, and its oracle is the rule that said it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd

from kit import oracle
from kit.oracle.rules import attributed
from kit.paths import REFERENCES, read_json
from kit.records import Cell, Evidence, Sample, Task, Trial, Verdict, content_key
from kit.sandbox import Sandbox
from kit.store import Store
from kit.suites.spec import references
from kit.suites.spec.suite import SpecSuite


class RulesSuite(SpecSuite):
    """A suite of specifications whose security tests only the general rules judge."""

    def trials(
        self, tasks: Mapping[str, Task], samples: Iterable[Sample], box: Sandbox, store: Store
    ) -> Iterator[Sequence[Trial]]:
        for part in super().trials(tasks, samples, box, store):
            yield [t for t in part if t.cells[0].test.kind == "security"]

    def verdict(self, cell: Cell, evidence: Evidence) -> Verdict:
        bare, how = replace(cell.test, probes=()), cell.sample
        rule, verdict = attributed(cell.task, bare, evidence, code=how.code, language=how.language)
        return replace(verdict, oracle=rule or "none")

    def identity(self, cell: Cell) -> str:
        """As of any test without probes, but for the name that is given to the oracle."""
        hoped = [t.expected for t in cell.task.tests]
        bare = replace(cell.test, probes=())
        return content_key(bare, hoped, cell.sample.code, oracle.version("rules"), "by rule")

    def references(
        self, tasks: Sequence[Task], folder: Path = REFERENCES
    ) -> tuple[list[Sample], pd.DataFrame]:
        """The labelled programs, and their security tests that have a label."""
        known = [replace(t, tests=_labelled(t, folder)) for t in tasks]
        samples, rows = references.read(known, folder)
        return samples, rows[rows["kind"] == "security"]


def _labelled(task: Task, folder: Path) -> tuple:  # type: ignore[type-arg]
    """The tests that labels.json speaks of: one that no program could be labelled for is left."""
    path = folder / task.id / "labels.json"
    ids = {i for e in read_json(path).values() for i in e["tests"]} if path.exists() else set()
    return tuple(t for t in task.tests if t.id in ids)
