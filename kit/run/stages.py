"""Execution and judgement of a run, with or without models: what the commands and a Job share.

The offline oracle speaks first. A judge is asked for what that left undecided, and, where the two
are to stand side by side, for everything; its further opinions never replace a verdict.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kit import rings
from kit.errors import KitError
from kit.generation.cost import Budget
from kit.generation.models import opened
from kit.generation.structured import Asker
from kit.pool import Tally
from kit.records import Cell, Evidence, Outcome, Reason, Task, Verdict
from kit.run import flakes, pipeline
from kit.sandbox import Sandbox
from kit.store import Store, slot_of
from kit.suite import Suite

if TYPE_CHECKING:  # what reads a run does not load the harness and the oracle
    from kit.harness.planner import Planner
    from kit.oracle import Judge


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

    def open(self, store: Store, box: Sandbox) -> "Judge":
        """The judge, with the run's own cache of answers."""
        from kit.oracle import Judge
        from kit.oracle.judge import Library

        budget = None if self.budget is None else Budget(self.budget)
        library = None
        if self.resolver != "none":
            web = None if self.resolver == "installed" else opened(self.resolver)
            library = Library(box, web)
        asker = Asker(opened(self.model), store.responses(), budget, self.temperature)
        return Judge(asker, self.samples, library)

    def go(self, store: Store, suite: Suite, tasks: list[Task], box: Sandbox) -> Tally:
        """Judge the run's evidence; what is known is not asked again, a failed call is."""
        judge = self.open(store, box)
        store.set_meta(judge=judge.name, judge_identity=judge.identity)
        pipeline.judge(store, suite, tasks, box)
        questions = _questions(store, suite, tasks, box, judge, beside=self.beside)

        def decide(question: Question) -> Verdict:
            cell, evidence = question.cell, _evidence(store, question)
            program = {"code": cell.sample.code, "language": cell.sample.language}
            return judge.decide(cell.task, cell.test, evidence, **program)

        def put(group: list[Question], verdict: Verdict) -> str:
            for question in group:
                _write(store, judge, question, verdict)
            return verdict.sentence if verdict.reason is Reason.JUDGE_FAILED else ""

        def known(question: Question) -> bool:
            before = store.verdict(question.key)
            if before is None or before.reason in (Reason.JUDGE_FAILED, Reason.JUDGE_UNPARSED):
                return False
            _write(store, judge, question, before)
            return True

        return pipeline.stage(questions, decide, put, key=lambda q: q.key, known=known,
                              workers=self.workers, title="ask the judge")  # fmt: skip


@dataclass(frozen=True)
class Question:
    """One cell put to the judge: the evidence, the key of its answer, and the offline verdict's."""

    cell: Cell
    evidence: str
    key: str
    offline: str


def _questions(
    store: Store, suite: Suite, tasks: list[Task], box: Sandbox, judge: "Judge", *, beside: bool
) -> Iterator[Question]:
    """What the judge has to be asked."""
    settled = store.settled()
    trials = (t for part in pipeline.rounds(store, suite, tasks, box) for t in part)
    for trial in trials:
        for cell in trial.cells if trial.key in settled else ():
            offline = pipeline.verdict_key(suite, trial, cell)
            verdict = store.verdict(offline)
            assert verdict is not None
            if not beside and verdict.outcome is not Outcome.UNKNOWN:
                continue
            key = pipeline.verdict_key(suite, trial, cell, judge.identity)
            question = Question(cell, trial.key, key, offline)
            if judge.takes(cell.test, _evidence(store, question), None if beside else verdict):
                yield question


def _evidence(store: Store, question: Question) -> Evidence:
    evidence = store.evidence(question.evidence)
    assert evidence is not None
    return evidence


def _write(store: Store, judge: "Judge", question: Question, verdict: Verdict) -> None:
    """The judge's opinion of a cell; it is the cell's verdict where the others had none."""
    cell, before = question.cell, store.verdict(question.offline)
    store.put_verdict(question.key, verdict)
    slot, test = slot_of(cell.sample), cell.test.id
    names = {"oracle": judge.name, "verdict": question.key, "offline": question.offline}
    store.put_opinion(slot, test, **names)
    if judge.takes(cell.test, _evidence(store, question), before):
        store.put_cell(slot, test, evidence=question.evidence, verdict=question.key, cached=True)


@dataclass(frozen=True)
class Planning:
    """How programs are called: mode "llm" or "parse-then-llm", by the model SPEC or SPEC@URL."""

    mode: str
    model: str
    budget: float | None = None

    def __post_init__(self) -> None:
        from kit.harness.planner import MODES

        if self.mode not in MODES[1:]:
            raise KitError(f"Unknown planner {self.mode!r}. Use one of: {', '.join(MODES)}.")
        if not self.model:
            raise KitError(
                f"The planner {self.mode!r} asks a model; name it with --planner-model openai:NAME."
            )
        opened(self.model)

    def open(self, store: Store) -> "Planner":
        """The planner, with the run's own cache of answers."""
        from kit.harness.planner import Planner

        budget = None if self.budget is None else Budget(self.budget)
        return Planner(self.mode, Asker(opened(self.model), store.responses(), budget))


@dataclass(frozen=True)
class Stages:
    """Which models have a hand in execution and judgement; none by default.

    repeat: how often each test is executed in all; what more than one tells is in `flakes`.
    cluster: where it is executed, if not by this process: local:N, tcp://HOST:PORT, slurm:JOBS, or
    later.
    """

    planning: Planning | None = None
    judging: Judging | None = None
    repeat: int = 1
    cluster: str = ""

    def go(
        self, store: Store, suite: Suite, tasks: list[Task], box: Sandbox, *, workers: int = 2
    ) -> Tally:
        """Execute and judge; the tally of the execution, with that of the judge in its note."""
        if self.repeat > 1 and not suite.repeats:
            raise KitError(f"The suite {suite.name} repeats no single test; leave --repeat out.")
        if self.cluster and (self.planning or self.judging or self.repeat > 1):
            raise KitError("A cluster only executes; leave --planner, --judge and --repeat out.")
        planner = self.planning.open(store) if self.planning else None
        if planner is not None:
            from kit.suites.spec.suite import SpecSuite

            if not isinstance(suite, SpecSuite):
                raise KitError(f"The suite {suite.name} needs no planner; leave --planner out.")
            suite = SpecSuite(suite.name, planner)
        store.set_meta(planner=planner.identity if planner else "")
        if self.cluster:
            spread: Tally = rings.load("kit.parts", "cluster")(
                store, suite, tasks, box, where=self.cluster
            )
            return spread
        tally = pipeline.evaluate(store, suite, tasks, box, workers=workers)
        notes = [tally.note]
        if self.repeat > 1:
            again = flakes.repeat(store, suite, tasks, box, times=self.repeat, workers=workers)
            notes.append(f"repeats: {again}")
        if self.judging is not None:
            notes.append(f"judge: {self.judging.go(store, suite, tasks, box)}")
        return replace(tally, note="; ".join(filter(None, notes)))
