"""Generate, execute, judge over many tasks: a pool of threads, a progress bar, resume by content.

Each stage writes under a content key and reads only the stage before: judging again never executes,
scoring again never judges. Threads only wait for sandboxes and servers; one thread writes.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from kit import harness, oracle
from kit.errors import KitError
from kit.generation.cost import BudgetReached
from kit.harness.llm.planner import Planner
from kit.oracle import Judge
from kit.pool import Tally, pool
from kit.records import Evidence, Sample, Status, Task, Test, content_key
from kit.sandbox import Limits, Sandbox
from kit.store import Store, slot_of

HOPELESS = 20  # failures of ours with no success before them: the machine, not the programs


def generate(
    store: Store,
    planned: Sequence[Sample],
    answer: Callable[[Sample], Sample],
    *,
    workers: int = 4,
) -> Tally:
    """Fill every planned slot that has no answer yet; a failure of the service is asked again.

    answer: slot -> Sample; it may raise BudgetReached, which ends the stage cleanly.
    """
    tally, todo = Tally(), []
    for slot in planned:
        old = store.sample(slot_of(slot))
        if old is None or old.status in (Status.INFRA_ERROR, Status.NOT_RUN):
            todo.append(slot)
        else:
            tally.cached += 1
    try:
        for _, sample in pool(answer, todo, workers=workers, title="generate"):
            store.put_sample(sample)
            tally.fresh += sample.status != Status.INFRA_ERROR
            tally.infra += sample.status == Status.INFRA_ERROR
    except BudgetReached as stop:
        tally.note = str(stop)
    tally.left = len(todo) - tally.fresh - tally.infra
    return tally


def world_key(task: Task, box: Sandbox, planner: str = "") -> str:
    """What all runs of a task share: its text, files, services, input shapes, sandbox.

    planner: the identity of a model that has a hand in the harness; "" for parsing alone.
    """
    inputs = [t.input for t in task.tests]
    stage = (box.identity, *filter(None, [planner]))
    return content_key(task.prompt, task.files, task.services, inputs, *stage)


def evidence_key(world: str, test: Test, sample: Sample) -> str:
    """The identity of one execution: everything that can change what is seen, and nothing else."""
    seen = [p for p in test.probes if "database" in str(p)]
    asked = (test.input, test.input_file, seen, allowance(test))
    called = (sample.language, harness.version(sample.language))
    return content_key(world, asked, sample.code, *called)


@dataclass(frozen=True)
class Cell:
    """One test of one sample, and the key of its evidence."""

    task: Task
    test: Test
    sample: Sample
    key: str


def verdict_key(cell: Cell, judge: Judge | None = None) -> str:
    """The identity of one judgement over one evidence; a judge counts with model and prompts."""
    deciding = oracle.deciding(cell.test) if judge is None else "judge"
    asked = (oracle.version(deciding), *(() if judge is None else (judge.identity,)))
    hoped = [t.expected for t in cell.task.tests]  # what a refusal looks like is read off these
    return content_key(cell.key, cell.test, hoped, cell.sample.code, *asked)


def evaluate(
    store: Store,
    tasks: Sequence[Task],
    box: Sandbox,
    *,
    workers: int = 2,
    planner: Planner | None = None,
) -> Tally:
    """Execute and judge every test of every stored program; what is known already is not run.

    planner: a model that has a hand in the harness; the run's meta names it. None: parsing alone.
    """
    by_id = {t.id: t for t in tasks}
    store.set_meta(planner=planner.identity if planner else "")
    tally, settled = Tally(), store.settled()
    todo: dict[str, list[Cell]] = {}
    for cell in cells(store, by_id, box):
        if cell.key in settled:
            judge_cell(store, cell, cached=True)
            tally.cached += 1
        else:
            todo.setdefault(cell.key, []).append(cell)

    def execute(group: list[Cell]) -> Evidence:
        first = group[0]
        return run_one(box, first.task, first.test, first.sample, planner=planner)

    try:
        for group, evidence in pool(execute, list(todo.values()), workers=workers, title="execute"):
            _record(store, group, evidence, tally)
    except BudgetReached as stop:
        tally.note = str(stop)
    tally.left = sum(map(len, todo.values())) - tally.fresh - tally.infra
    return tally


def _record(store: Store, group: list[Cell], evidence: Evidence, tally: Tally) -> None:
    """Write an execution and the verdicts over it; give up where nothing ever runs."""
    store.put_evidence(group[0].key, evidence)
    for cell in group:
        judge_cell(store, cell, cached=False)
    failed = evidence.status == Status.INFRA_ERROR
    tally.infra += failed * len(group)
    tally.fresh += (not failed) * len(group)
    tally.note = tally.note or (evidence.note if failed else "")
    if tally.infra >= HOPELESS and not tally.fresh:
        raise KitError(
            f"The first {tally.infra} runs failed on our side: {evidence.note} "
            "Mend that (`kit doctor` helps); the same command goes on."
        )


def allowance(test: Test) -> float | None:
    """Seconds after which a run can only have failed: those of a top-level `ends_within`, and 1."""
    allowed = [p["seconds"] for p in test.probes if p["probe"] == "ends_within"]
    return min(allowed) + 1 if allowed else None


@dataclass(frozen=True)
class Hurried:
    """A box whose runs end at `wall_s`: waiting longer would tell nothing more."""

    box: Sandbox
    wall_s: float

    def run(self, argv: Sequence[str], *, limits: Limits | None = None, **rest: Any) -> Evidence:
        usual = limits or self.box.limits
        return self.box.run(
            argv, limits=replace(usual, wall_s=min(self.wall_s, usual.wall_s)), **rest
        )

    def __getattr__(self, name: str) -> Any:
        return getattr(self.box, name)


def run_one(
    box: Sandbox, task: Task, test: Test, sample: Sample, *, planner: Planner | None = None
) -> Evidence:
    """One execution; a failure of the machine is recorded as ours, never as the program's."""
    start = harness.run if planner is None else partial(planner.run, home=box)
    wall_s = allowance(test)
    stage = box if wall_s is None else Hurried(box, wall_s)
    try:
        return start(stage, task, test, sample.code, language=sample.language)
    except (OSError, KitError) as error:
        return Evidence(Status.INFRA_ERROR, note=f"{type(error).__name__}: {error}")


def judge(store: Store, tasks: Sequence[Task], box: Sandbox) -> Tally:
    """Judge the stored evidence again; nothing is executed."""
    by_id, settled, tally = {t.id: t for t in tasks}, store.settled(), Tally()
    for cell in cells(store, by_id, box):
        if cell.key in settled:
            tally.fresh += judge_cell(store, cell, cached=True)
        else:
            tally.left += 1
    return tally


def judge_cell(store: Store, cell: Cell, *, cached: bool) -> bool:
    """Write the verdict of one cell, from the store where it is known; True if it was made now."""
    fresh = store.verdict(verdict_key(cell)) is None
    key, slot = verdict_of(store, cell), slot_of(cell.sample)
    store.put_cell(slot, cell.test.id, evidence=cell.key, verdict=key, cached=cached)
    return fresh


def verdict_of(store: Store, cell: Cell) -> str:
    """The key of the offline verdict over a cell's stored evidence, which is judged if need be."""
    key = verdict_key(cell)
    if store.verdict(key) is None:
        seen = store.evidence(cell.key)
        code, language = cell.sample.code, cell.sample.language
        verdict = oracle.judge(cell.task, cell.test, seen, code=code, language=language)
        store.put_verdict(key, verdict)
    return key


def cells(store: Store, tasks: dict[str, Task], box: Sandbox) -> Iterator[Cell]:
    """Every test of every stored program, with the key of its evidence."""
    planner = store.meta().get("planner", "")
    worlds = {name: world_key(task, box, planner) for name, task in tasks.items()}
    for sample in store.samples():
        if sample.status != Status.COMPLETED or sample.task not in tasks:
            continue
        task = tasks[sample.task]
        for test in task.tests:
            yield Cell(task, test, sample, evidence_key(worlds[task.id], test, sample))
