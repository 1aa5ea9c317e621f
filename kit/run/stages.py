"""Execution and judgement of a run, with or without models: what the commands and a Job share."""

from dataclasses import dataclass, replace

from kit.errors import KitError
from kit.generation.cost import Budget
from kit.generation.models import opened
from kit.generation.structured import Asker
from kit.harness.llm.planner import MODES, Planner
from kit.pool import Tally
from kit.records import Task
from kit.run import cluster, flakes, pipeline
from kit.run.judging import Judging
from kit.sandbox import Sandbox
from kit.store import Store
from kit.suite import Suite
from kit.suites.spec.suite import SpecSuite


@dataclass(frozen=True)
class Planning:
    """How programs are called: mode "llm" or "parse-then-llm", by the model SPEC or SPEC@URL."""

    mode: str
    model: str
    budget: float | None = None

    def __post_init__(self) -> None:
        if self.mode not in MODES[1:]:
            raise KitError(f"Unknown planner {self.mode!r}. Use one of: {', '.join(MODES)}.")
        if not self.model:
            raise KitError(
                f"The planner {self.mode!r} asks a model; name it with --planner-model openai:NAME."
            )
        opened(self.model)

    def open(self, store: Store) -> Planner:
        """The planner, with the run's own cache of answers."""
        budget = None if self.budget is None else Budget(self.budget)
        return Planner(self.mode, Asker(opened(self.model), store.responses(), budget))


@dataclass(frozen=True)
class Stages:
    """Which models have a hand in execution and judgement; none by default.

    repeat: how often each test is executed in all; what more than one tells is in `flakes`.
    cluster: where it is executed, if not by this process (see kit.run.cluster).
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
            if not isinstance(suite, SpecSuite):
                raise KitError(f"The suite {suite.name} needs no planner; leave --planner out.")
            suite = SpecSuite(suite.name, planner)
        store.set_meta(planner=planner.identity if planner else "")
        if self.cluster:
            return cluster.go(store, suite, tasks, box, where=self.cluster)
        tally = pipeline.evaluate(store, suite, tasks, box, workers=workers)
        notes = [tally.note]
        if self.repeat > 1:
            again = flakes.repeat(store, suite, tasks, box, times=self.repeat, workers=workers)
            notes.append(f"repeats: {again}")
        if self.judging is not None:
            notes.append(f"judge: {self.judging.go(store, suite, tasks, box)}")
        return replace(tally, note="; ".join(filter(None, notes)))
