"""The models that help to execute and judge a run: a judge and a planner.

The offline oracle judges first. The judge decides tests that the oracle left undecided. With
`beside` it judges all tests for comparison, and never replaces a verdict of the oracle. The planner
finds entry points of programs.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from kit.core.errors import KitError
from kit.core.records import Cell, Outcome, Reason, Task, Verdict, content_key
from kit.core.store import Store, slot_of
from kit.generation.cost import Budget
from kit.generation.models import open_role
from kit.generation.structured import Asker
from kit.run import pipeline
from kit.run.pool import Tally
from kit.run.suite import Suite
from kit.sandbox import Sandbox

if TYPE_CHECKING:  # what reads a run does not load the harness and the oracle
    from kit.harness.planner import Planner
    from kit.oracle import Judge


def _open_asker(store: Store, model: str, budget: float | None, temperature: float | None) -> Asker:
    """Asks the model SPEC, with the run's own cache of answers."""
    limit = None if budget is None else Budget(budget)
    return Asker(open_role(model), store.response_cache(), limit, temperature)


@dataclass(frozen=True)
class Judging:
    """The settings of a model as judge.

    model: SPEC or SPEC@URL. samples: number of independent answers. resolver: the source of library
    documentation: "installed" (the sandbox's libraries), "none", or SPEC of a model with web
    search. budget: US dollars. beside: judge all tests, to compare judge and oracle. draw: judge
    so many tests of a kind only ("security=80,functional=20"), whatever the oracle said.
    """

    model: str
    samples: int = 1
    temperature: float | None = None
    resolver: str = "installed"
    budget: float | None = None
    beside: bool = False
    draw: str = ""
    workers: int = 4

    def __post_init__(self) -> None:
        """Fail early if a model's SPEC is invalid."""
        open_role(self.model)
        if self.resolver not in ("none", "installed"):
            open_role(self.resolver)
        read_draw(self.draw)

    def open(self, store: Store, box: Sandbox) -> "Judge":
        """The judge, with the run's own cache of answers."""
        from kit.oracle import Judge
        from kit.oracle.judge import Library

        library = None
        if self.resolver != "none":
            library = Library(
                box, None if self.resolver == "installed" else open_role(self.resolver)
            )
        asker = _open_asker(store, self.model, self.budget, self.temperature)
        return Judge(asker, self.samples, library)

    def judge_run(self, store: Store, suite: Suite, tasks: list[Task], box: Sandbox) -> Tally:
        """Judge the run's evidence; cached answers are reused, failed calls are repeated."""
        judge = self.open(store, box)
        store.set_meta(judge=judge.name, judge_identity=judge.identity)
        pipeline.judge(store, suite, tasks, box)
        judges_all = self.beside or bool(self.draw)
        questions: Iterable[Question] = find_questions(
            store, suite, tasks, box, judge, judges_all=judges_all
        )
        if self.draw:
            questions = draw_questions(questions, read_draw(self.draw))
        return Asking(store, judge, self.workers).do_all(questions)


@dataclass(frozen=True)
class Question:
    """One test for the judge. evidence: its key; key: of the judge's verdict; offline: of the
    oracle's. decides: the judge's is the verdict, since the oracle was undecided."""

    cell: Cell
    evidence: str
    key: str
    offline: str
    decides: bool


@dataclass
class Asking(pipeline.Work):
    """Asks the judge questions, and writes its opinions beside the verdicts of the oracle."""

    store: Store
    judge: "Judge"
    workers: int
    title = "ask the judge"

    def key_of(self, question: Question) -> str:
        return question.key

    def is_known(self, question: Question) -> bool:
        before = self.store.verdict(question.key)
        if before is None or before.reason in (Reason.JUDGE_FAILED, Reason.JUDGE_UNPARSED):
            return False
        self.write([question], before)
        return True

    def produce(self, question: Question) -> Verdict:
        cell = question.cell
        evidence = self.store.evidence(question.evidence)
        assert evidence is not None
        return self.judge.decide(
            cell.task, cell.test, evidence, code=cell.sample.code, language=cell.sample.language
        )

    def write(self, questions: list[Question], verdict: Verdict) -> str:
        for question in questions:
            slot = slot_of(question.cell.sample)
            test = question.cell.test.id
            names = {"oracle": self.judge.name, "offline": question.offline}
            self.store.put_verdict(question.key, verdict)
            self.store.put_opinion(slot, test, verdict=question.key, **names)
            if question.decides:
                self.store.put_cells([(slot, test, question.evidence, question.key, True)])
        return verdict.sentence if verdict.reason is Reason.JUDGE_FAILED else ""


def find_questions(
    store: Store, suite: Suite, tasks: list[Task], box: Sandbox, judge: "Judge", *, judges_all: bool
) -> Iterator[Question]:
    """The tests that the judge must judge."""
    settled = store.find_settled()
    for trial in chain.from_iterable(pipeline.rounds_of_trials(store, suite, tasks, box)):
        if trial.key not in settled:
            continue
        for cell in trial.cells:
            offline = pipeline.verdict_key(suite, trial, cell)
            verdict = store.verdict(offline)
            assert verdict is not None
            if verdict.outcome is not Outcome.UNKNOWN and not judges_all:
                continue
            evidence = store.evidence(trial.key)
            assert evidence is not None
            decides = judge.takes(cell.test, evidence, verdict)
            if decides or (judges_all and judge.takes(cell.test, evidence, None)):
                key = pipeline.verdict_key(suite, trial, cell, judge.identity)
                yield Question(cell, trial.key, key, offline, decides)


def read_draw(text: str) -> dict[str, int]:
    """{kind of test: number} of "security=80,functional=20"; KitError for any other text."""
    numbers = {}
    for part in filter(None, text.split(",")):
        kind, _, number = part.partition("=")
        if kind not in ("functional", "security") or not number.isdecimal():
            raise KitError(
                f"--judge-draw {text!r} is not a list of KIND=N. Use security=80,functional=20."
            )
        numbers[kind] = int(number)
    return numbers


def draw_questions(questions: Iterable[Question], numbers: Mapping[str, int]) -> list[Question]:
    """That many questions of each kind, by a hash of program and test; the same ones each time.

    The draw does not look at verdicts, so rates of the draw estimate those of the run.
    """
    drawn: list[Question] = []
    placed: dict[str, dict[str, Question]] = {}
    for question in questions:
        test = question.cell.test
        place = content_key("draw", question.cell.sample.code, test.id)
        placed.setdefault(test.kind, {}).setdefault(place, question)  # variants come later
    for kind, number in numbers.items():
        of_kind = placed.get(kind, {})
        drawn += [of_kind[place] for place in sorted(of_kind)[:number]]
    return drawn


@dataclass(frozen=True)
class Planning:
    """Settings of the planner: mode "llm" or "parse-then-llm", and its model SPEC or SPEC@URL."""

    mode: str
    model: str
    budget: float | None = None

    def __post_init__(self) -> None:
        from kit.harness.planner import MODES

        if self.mode not in MODES[1:]:
            raise KitError(f"Unknown planner {self.mode!r}. Use one of: {', '.join(MODES)}.")
        if not self.model:
            raise KitError(
                f"The planner {self.mode!r} needs a model. Add --planner-model openai:NAME."
            )
        open_role(self.model)

    def open(self, store: Store) -> "Planner":
        """The planner, with the run's own cache of answers."""
        from kit.harness.planner import Planner

        return Planner(self.mode, _open_asker(store, self.model, self.budget, None))
