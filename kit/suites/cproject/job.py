"""A model over a project: question, edit, build, iterations of tests; the same job resumes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from kit.generation import generate
from kit.generation.cost import Budget, forecast, load_prices
from kit.generation.generate import answer
from kit.generation.models import open_model
from kit.generation.replay import Replay
from kit.pool import Tally, pool
from kit.records import Sample, Status, content_key
from kit.run import pipeline
from kit.store import Store
from kit.suites.cproject import edit as edit_
from kit.suites.cproject import record
from kit.suites.cproject.check import Build, Checked, Checker, readers
from kit.suites.cproject.edit import Edit
from kit.suites.cproject.editors import Editor, is_editor
from kit.suites.cproject.project import CProject
from kit.suites.cproject.toolchain import CORES

SHARE = 0.01
ANSWER_S = 10  # of a remote model, assumed for a forecast of time


@dataclass
class OssJob:
    """What is asked of whom, over which functions. model: identity, saboteur, hands:DIR, or any.

    fuzz: so many mutated inputs against each of the first `fuzzed` iterations.
    share: of the project's functions that an iteration edits. until: stop when the 95% interval of
    the test score is narrower. mode: "schemata" or "rebuild". full: check every edit by a rebuild.
    connections: questions that are asked at the same time.
    """

    project: CProject
    table: pd.DataFrame
    model: str
    prompt: str = "improve"
    iterations: int = 1000
    until: float | None = None
    share: float = SHARE
    seed: int = 0
    mode: str = "schemata"
    full: bool = False
    fuzz: int = 0
    fuzzed: int = 20
    base_url: str | None = None
    budget: float | None = None
    connections: int = 4
    sampling: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def opened(self) -> Any:
        if is_editor(self.model):
            return Editor(self.model)
        return open_model(self.model, base_url=self.base_url)

    @cached_property
    def rows(self) -> dict[int, dict[str, Any]]:
        return {row["function_index"]: row for row in self.table.to_dict("records")}

    @cached_property
    def readers(self) -> dict[str, tuple[str, ...]]:
        return readers(zip(self.table["path"], self.table["units"], strict=True))

    @property
    def name(self) -> str:
        safe = "".join(c if c.isalnum() or c in "-._" else "-" for c in self.opened.name)
        return f"ossbench-{self.project.name}-{safe.strip('-.')}"

    @cached_property
    def tasks(self) -> dict[str, Any]:
        made = (record.task_of(self.project.name, row) for row in self.rows.values())
        return {task.id: task for task in made}

    @cached_property
    def slots(self) -> list[Sample]:
        """Every function's empty sample; those of a recording bring its own settings."""
        if isinstance(self.opened, Replay):
            return [s for s in self.opened.samples if s.task in self.tasks]
        arm = {"prompt": self.prompt, "project": self.project.name, **self.sampling}
        return generate.slots(
            list(self.tasks.values()), model=self.opened.name, n=1, language="c", arm=arm
        )

    def row_of(self, sample: Sample) -> dict[str, Any]:
        return self.rows[int(sample.task.rpartition(":")[2])]

    def messages(self, slot: Sample) -> list[dict[str, str]]:
        """The question that an empty sample stands for."""
        return edit_.prompt(self.row_of(slot), arm=slot.arm.get("prompt", "improve"))

    def forecast(self) -> str:
        """Calls, tokens, dollars and hours before the first call, in a sentence."""
        if isinstance(self.opened, Editor | Replay):
            return f"{len(self.slots)} edits made by rule or recorded; no call is made."
        asked = [self.messages(slot) for slot in self.slots]
        limit = self.sampling.get("max_tokens")
        hours = len(asked) * ANSWER_S / self.connections / 3600
        return (
            f"{forecast(asked, self.opened, load_prices(), max_tokens=limit)}; about {hours:.1f} h "
            f"if an answer takes {ANSWER_S} s (assumed), {self.connections} at a time"
        )

    def generate(self, store: Store) -> Tally:
        """Ask for every edit that the run lacks."""
        budget = None if self.budget is None else Budget(self.budget)
        cache = store.responses()

        def ask(slot: Sample) -> Sample:
            task, messages = self.tasks[slot.task], self.messages(slot)
            if isinstance(self.opened, Replay):
                return self.opened.recall(slot, messages=messages)
            return answer(self.opened, task, messages, language="c", arm=slot.arm, cache=cache,
                          budget=budget)  # fmt: skip

        store.plan(self.tasks.values(), self.slots)
        return pipeline.generate(store, self.slots, ask, workers=self.connections)

    def edits(self, store: Store) -> Iterator[tuple[Sample, Edit | None, str]]:
        """Every answered sample with its edit, or with the sentence that says why it has none."""
        for sample in store.samples():
            if sample.task not in self.tasks or sample.status == Status.INFRA_ERROR:
                continue
            row = self.row_of(sample)
            known = edit_.defined_in(self.project.tree / row["path"])
            text, why = edit_.function_in(sample.code, row["name"], known)
            if sample.status != Status.COMPLETED:
                yield sample, None, sample.note
            elif why:
                yield sample, None, why
            else:
                where = (row["path"], row["start"], row["end"], row["original_function"])
                yield sample, Edit(row["function_index"], row["name"], *where, text), ""

    def check(self, store: Store, checker: Checker, *, workers: int = CORES) -> Tally:
        """Build every edit that this run has not built yet."""
        tally, todo, way = Tally(), [], checker.check_full if self.full else checker.check
        for sample, edit, why in self.edits(store):
            row = self.row_of(sample)
            text = edit.text if edit else ""
            key = content_key(self.project.version, row["filepath"], text, why, self.full)
            if record.known_edit(store, sample, key):
                tally.cached += 1
            else:
                todo.append((key, sample, row, edit, why))

        def build(item: tuple[Any, ...]) -> Checked:
            *_, edit, why = item
            return way(edit) if edit else Checked(Build.FAILURE, f"extraction: {why}")

        checker.begin()
        for (key, sample, row, edit, _), checked in pool(
            build, todo, workers=workers, title="build"
        ):
            changed = edit.changed if edit else 0
            record.put_edit(store, sample, row, checked, key=key, changed=changed)
            tally.fresh += 1
        return tally

    def compilable(self, store: Store) -> list[Edit]:
        """The edits that build, in the order of their functions; an unchanged one is one too."""
        rows = record.edits(store)
        good = set(rows.loc[rows["build"] == "success", "function_index"])
        found = [e for _, e, _ in self.edits(store) if e and e.index in good]
        return sorted(found, key=lambda e: e.index)

    def draw(self, edits: Sequence[Edit], number: int) -> tuple[int, ...]:
        """The edits of an iteration: the same for the same seed and number."""
        size = min(len(edits), max(1, round(self.share * len(self.table))))
        rng = np.random.default_rng([self.seed, number])
        chosen = rng.choice([e.index for e in edits], size=size, replace=False)
        return tuple(sorted(int(n) for n in chosen))
