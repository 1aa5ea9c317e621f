"""A model as judge over the stored evidence of a run, in a pool.

The offline oracle speaks first. The judge is asked for what it left undecided, and, where the two
are to stand side by side, for everything; its further opinions never replace a verdict.
"""

from dataclasses import dataclass

from kit.errors import KitError
from kit.generation.agents import Agent
from kit.generation.base import Model
from kit.generation.cost import Budget, BudgetReached
from kit.generation.models import open_model
from kit.generation.replay import Replay
from kit.generation.structured import Asker
from kit.oracle import Judge
from kit.oracle.judge.documentation import Library
from kit.pool import Tally, pool
from kit.records import Evidence, Outcome, Reason, Task, Verdict
from kit.run import pipeline, second_opinion
from kit.run.pipeline import HOPELESS, Cell, verdict_key
from kit.sandbox import Sandbox
from kit.store import Store, slot_of


def opened(spec: str) -> Model:
    """The model of SPEC or SPEC@URL (any server that speaks the format); no recording."""
    name, _, url = spec.partition("@http")
    model = open_model(name, base_url=f"http{url}" if url else None)
    if isinstance(model, (Agent, Replay)):
        kind = "an agent" if isinstance(model, Agent) else "a recording"
        raise KitError(f"{spec!r} is {kind}; what is needed here is a model, as openai:NAME.")
    return model


@dataclass(frozen=True)
class Judging:
    """How a run is judged by a model.

    model: SPEC or SPEC@URL. samples: m independent answers. resolver: "installed" looks unfamiliar
    interfaces up in the box's own libraries, "none" nowhere, SPEC on the web through that model.
    budget: US dollars. beside: ask for everything, so that the oracles can be compared.
    """

    model: str
    samples: int = 1
    temperature: float | None = None
    resolver: str = "installed"
    budget: float | None = None
    beside: bool = False
    workers: int = 4

    def __post_init__(self) -> None:
        """Refuse at once what could not be asked later."""
        opened(self.model)
        if self.resolver not in ("none", "installed"):
            opened(self.resolver)

    def open(self, store: Store, box: Sandbox) -> Judge:
        """The judge, with the run's own cache of answers."""
        budget = None if self.budget is None else Budget(self.budget)
        library = None
        if self.resolver != "none":
            web = None if self.resolver == "installed" else opened(self.resolver)
            library = Library(box, web)
        asker = Asker(opened(self.model), store.responses(), budget, self.temperature)
        return Judge(asker, self.samples, library)

    def go(self, store: Store, tasks: list[Task], box: Sandbox) -> Tally:
        """Judge the run's evidence; what is known is not asked again, a failed call is."""
        judge = self.open(store, box)
        store.set_meta(judge=judge.name, judge_identity=judge.identity)
        pipeline.judge(store, tasks, box)
        todo, tally = _todo(store, tasks, box, judge, beside=self.beside)

        def decide(group: list[Cell]) -> Verdict:
            first = group[0]
            seen, sample = _evidence(store, first), first.sample
            given = {"code": sample.code, "language": sample.language}
            return judge.decide(first.task, first.test, seen, **given)

        try:
            for group, verdict in pool(
                decide, list(todo.values()), workers=self.workers, title="judge"
            ):
                _write(store, judge, group, verdict)
                _count(tally, verdict, len(group))
        except BudgetReached as stop:
            tally.note = str(stop)
        tally.left = sum(map(len, todo.values())) - tally.fresh - tally.infra
        return tally


def _todo(
    store: Store, tasks: list[Task], box: Sandbox, judge: Judge, *, beside: bool
) -> tuple[dict[str, list[Cell]], Tally]:
    """What the judge has to be asked, equal questions together; what it said already is written."""
    settled, tally = store.settled(), Tally()
    todo: dict[str, list[Cell]] = {}
    for cell in pipeline.cells(store, {t.id: t for t in tasks}, box):
        if cell.key not in settled:
            continue
        offline = _offline(store, cell)
        if not beside and offline.outcome is not Outcome.UNKNOWN:
            continue
        if not judge.takes(cell.test, _evidence(store, cell), None if beside else offline):
            continue
        key = verdict_key(cell, judge)
        known = store.verdict(key)
        if known is None or known.reason is Reason.JUDGE_FAILED:
            todo.setdefault(key, []).append(cell)
        else:
            _write(store, judge, [cell], known)
            tally.cached += 1
    return todo, tally


def _offline(store: Store, cell: Cell) -> Verdict:
    verdict = store.verdict(verdict_key(cell))
    assert verdict is not None
    return verdict


def _evidence(store: Store, cell: Cell) -> Evidence:
    evidence = store.evidence(cell.key)
    assert evidence is not None
    return evidence


def _write(store: Store, judge: Judge, group: list[Cell], verdict: Verdict) -> None:
    """The judge's opinion of each cell; it is the cell's verdict where the others had none."""
    for cell in group:
        key, before = verdict_key(cell, judge), _offline(store, cell)
        store.put_verdict(key, verdict)
        slot, test = slot_of(cell.sample), cell.test.id
        offline = verdict_key(cell)
        second_opinion.put(store, slot, test, oracle=judge.name, verdict=key, offline=offline)
        if judge.takes(cell.test, _evidence(store, cell), before):
            store.put_cell(slot, test, evidence=cell.key, verdict=key, cached=True)


def _count(tally: Tally, verdict: Verdict, cells: int) -> None:
    failed = verdict.reason is Reason.JUDGE_FAILED
    tally.infra += failed * cells
    tally.fresh += (not failed) * cells
    tally.note = tally.note or (verdict.sentence if failed else "")
    if tally.infra >= HOPELESS and not tally.fresh:
        raise KitError(
            f"The first {tally.infra} questions to the judge failed: {tally.note} "
            "Mend that; the same command goes on."
        )
