"""A model over a project: question, edit, build, iterations of tests; the same job resumes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from tqdm.auto import tqdm

from kit import pipeline
from kit.errors import KitError
from kit.generation.cost import Budget
from kit.generation.editors import Editor, is_editor
from kit.generation.generate import answer
from kit.generation.models import open_model
from kit.generation.replay import Replay
from kit.metrics import chained
from kit.ossbench import projects, record, schemata, trial
from kit.ossbench.check import Build, Checked, Checker, readers
from kit.ossbench.schemata import Schemata
from kit.ossbench.trial import Seen, Suite
from kit.ossbench.workshop import Workshop
from kit.pipeline import Tally
from kit.records import Sample, Status, content_key
from kit.store import Store
from kit.suites.cproject import edit as edit_
from kit.suites.cproject.edit import Edit
from kit.suites.cproject.project import CProject

SHARE = 0.01
FEWEST = 10  # iterations before `until` may stop them


@dataclass
class OssJob:
    """What is asked of whom, over which functions. model: identity, saboteur, hands:DIR, or any.

    share: of the project's functions that an iteration edits. until: stop when the 95% interval of
    the test score is narrower. mode: "schemata" or "rebuild". full: check every edit by a rebuild.
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
    base_url: str | None = None
    budget: float | None = None
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
        return pipeline.slots(
            list(self.tasks.values()), model=self.opened.name, n=1, language="c", arm=arm
        )

    def row_of(self, sample: Sample) -> dict[str, Any]:
        return self.rows[int(sample.task.rpartition(":")[2])]

    def generate(self, store: Store, *, workers: int = 2) -> Tally:
        """Ask for every edit that the run lacks."""
        budget = None if self.budget is None else Budget(self.budget)
        cache = store.responses()

        def ask(slot: Sample) -> Sample:
            messages = edit_.prompt(self.row_of(slot), arm=slot.arm.get("prompt", "improve"))
            task = self.tasks[slot.task]
            return answer(self.opened, task, messages, language="c", arm=slot.arm, cache=cache,
                          budget=budget)  # fmt: skip

        store.plan(self.tasks.values(), self.slots)
        return pipeline.generate(store, self.slots, ask, workers=workers)

    def edits(self, store: Store) -> Iterator[tuple[Sample, Edit | None, str]]:
        """Every answered sample with its edit, or with the sentence that says why it has none."""
        for sample in store.samples():
            if sample.task not in self.tasks or sample.status == Status.INFRA_ERROR:
                continue
            row = self.row_of(sample)
            text, why = edit_.function_in(sample.code, row["name"])
            if sample.status != Status.COMPLETED:
                yield sample, None, sample.note
            elif why:
                yield sample, None, why
            else:
                where = (row["path"], row["start"], row["end"], row["original_function"])
                yield sample, Edit(row["function_index"], row["name"], *where, text), ""

    def check(self, store: Store, checker: Checker) -> Tally:
        """Build every edit that this run has not built yet."""
        tally, way = Tally(), checker.check_full if self.full else checker.check
        known = list(self.edits(store))
        for sample, edit, why in tqdm(known, desc="build", disable=None, leave=False):
            row = self.row_of(sample)
            text = edit.text if edit else ""
            key = content_key(self.project.version, row["filepath"], text, why, self.full)
            if record.known_edit(store, sample, key):
                tally.cached += 1
                continue
            checked = way(edit) if edit else Checked(Build.FAILURE, f"extraction: {why}")
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


class Lab:
    """The builds of one job: the original, and one with every compilable edit behind a switch."""

    def __init__(self, job: OssJob, shop: Workshop, store: Store) -> None:
        self.job, self.shop, self.store = job, shop, store
        self.edits = {e.index: e for e in job.compilable(store)}
        self.last = max(job.rows, default=0)

    @cached_property
    def schemata(self) -> Schemata:
        made = schemata.plan(self.shop, self.edits.values(), self.job.rows)
        modes = {e.index: "switch" for e in made.switched} | dict(made.rebuilt)
        record.put_modes(self.store, modes)
        return made

    @cached_property
    def original(self) -> Suite:
        programs, why = trial.build(self.shop, {}, self.job.readers, last=self.last)
        if why:
            raise KitError(f"The original of {self.job.project.name} does not build: {why}")
        return Suite(self.shop, programs)

    @cached_property
    def switched(self) -> Suite:
        texts = self.schemata.texts
        return Suite(self.shop, *trial.build(self.shop, texts, self.job.readers, last=self.last))

    def suite(self, chosen: Sequence[int], mode: str) -> Suite:
        """The build in which these edits can be in force: the shared one, or one of their own."""
        if mode == "rebuild":
            return self._own([], [self.edits[n] for n in chosen])
        replaced = [self.edits[n] for n in chosen if n in self.schemata.rebuilt]
        if not replaced:
            return self.switched
        return self._own(
            [self.edits[n] for n in chosen if n not in self.schemata.rebuilt], replaced
        )

    def _own(self, behind: Sequence[Edit], replaced: Sequence[Edit]) -> Suite:
        texts = {}
        for path in sorted({e.path for e in (*behind, *replaced)}):
            parts = ([e for e in g if e.path == path] for g in (behind, replaced))
            texts[path] = schemata.assemble(self.shop, path, *parts, self.job.rows)
        return Suite(self.shop, *trial.build(self.shop, texts, self.job.readers, last=self.last))

    @cached_property
    def baseline(self) -> Seen:
        """The original's run; its passing tests are what an iteration is measured on."""
        seen = self.original.run()
        self._put("baseline", 0, (), seen, mode="original", expected=seen.tests)
        good = [t for t, passed in seen.tests.items() if passed]
        self.store.set_meta(modules=record.by_module(good))
        return seen

    @cached_property
    def expected(self) -> list[str]:
        return sorted(t for t, passed in self.baseline.tests.items() if passed)

    def _key(self, purpose: str, number: int, chosen: Sequence[int], mode: str) -> str:
        texts = [(self.edits[n].path, self.edits[n].start, self.edits[n].text) for n in chosen]
        return content_key(self.job.project.version, self.shop.compiler, purpose, number, texts,
                           mode)  # fmt: skip

    def _put(self, purpose: str, number: int, chosen: Sequence[int], seen: Seen, *, mode: str,
             expected: Any) -> None:  # fmt: skip
        key = self._key(purpose, number, chosen, mode)
        record.put_iteration(self.store, key, seen, purpose=purpose, number=number, mode=mode,
                             edits=chosen, expected=expected)  # fmt: skip

    def once(
        self, purpose: str, number: int, chosen: Sequence[int], *, mode: str | None = None
    ) -> bool:
        """One run of the suite with these edits, recorded; False if it was recorded before."""
        mode = mode or self.job.mode
        if self._key(purpose, number, chosen, mode) in record.known_iterations(self.store):
            return False
        expected = self.expected
        seen = self.suite(chosen, mode).run(chosen)
        self._put(purpose, number, chosen, seen, mode=mode, expected=expected)
        return True

    def iterate(self) -> Tally:
        """The sampled iterations of the job, until there are enough of them."""
        tally, edits, rates = Tally(), list(self.edits.values()), []
        if not edits:
            tally.note = "no edit compiles, so no test was run"
            return tally
        for number in tqdm(range(self.job.iterations), desc="iterate", disable=None, leave=False):
            fresh = self.once("sample", number, self.job.draw(edits, number))
            tally.fresh += fresh
            tally.cached += not fresh
            if self.job.until is None:
                continue
            rates = record.iterations(self.store, "sample")["rate"].head(number + 1)
            if number + 1 >= FEWEST and 100 * chained.interval_width(rates) < self.job.until:
                tally.note = f"the interval is narrower than {self.job.until:g}"
                break
        return tally


def go(job: OssJob, box: Any, run: str | Path) -> dict[str, str]:
    """Generate, build and iterate into the run; what each stage did, in words."""
    with Store(run) as store, Workshop(box, job.project) as shop:
        record.prepare(store)
        store.set_meta(suite="ossbench", project=job.project.name, version=job.project.version,
                       model=job.opened.name, functions=len(job.table), share=job.share,
                       seed=job.seed, sandbox=box.identity, compiler=shop.compiler)  # fmt: skip
        asked = job.generate(store)
        built = job.check(store, Checker(shop, job.readers))
        tested = Lab(job, shop, store).iterate()
        record.publish(store, store.path.parent)
        return {"generate": str(asked), "build": str(built), "iterate": str(tested)}


def start(
    project: str,
    model: str,
    *,
    run: str,
    limit: int = 0,
    iterations: int = 1000,
    until: float = 0.0,
    share: float = SHARE,
) -> dict[str, str]:
    """A whole run from a notebook; 0 stands for no limit."""
    with projects.opened(project, limit=limit) as (box, tree, table):
        job = OssJob(tree, table, model, iterations=iterations, until=until or None, share=share)
        return go(job, box, run)
