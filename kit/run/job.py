"""A Job runs one model on one suite: forecast, generate, execute, judge. It is resumable."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd

from kit.core.errors import KitError
from kit.core.paths import run_path
from kit.core.records import Sample, Task
from kit.core.store import Store, slot_of
from kit.generation import replay
from kit.generation.answering import Answering, FromAgent, FromModel, FromRecording
from kit.generation.base import Agent, Bounds, Messages
from kit.generation.cost import Budget, Price, load_prices
from kit.generation.models import apply_thinking, asked_with, open_model
from kit.generation.replay import Replay
from kit.run import feedback, pipeline, report
from kit.run.pipeline import Stages
from kit.run.pool import Tally
from kit.run.suite import Go, Settings, Suite
from kit.sandbox import open_sandbox

SEED_STEP = 10_000  # between the seeds of a job: sample i has its seed + i, and none has two


@dataclass(frozen=True)
class Job:
    """One model on one suite. model: openai:NAME, anthropic:NAME, local, replay:DIR, agent:NAME.

    n samples for each task, with `settings` (of the suite's kind). A recording has its own n and
    settings; a coding agent has `bounds` instead, which are columns of the table too.
    seeds: how often all samples are drawn anew, each time from a seed of its own.
    arm: further columns of the tidy table. budget: US dollars, over all invocations of the run.
    price: US dollars per million tokens of input and of output, if data/prices.csv has none.
    timeout: seconds for one call; retries: of a call that failed and may succeed.
    arms: prompts that replace that of the settings, in one run; of a recording, only their answers.
    """

    suite: Suite
    tasks: Sequence[Task]
    model: str
    settings: Settings
    n: int = 1
    seeds: int = 1
    base_url: str | None = None
    key_env: str | None = None
    budget: float | None = None
    price: tuple[float, float] | None = None
    connections: int = 4
    timeout: float = 600.0
    retries: int = 3
    arm: dict[str, Any] = field(default_factory=dict)
    bounds: Bounds = field(default_factory=Bounds)
    arms: Sequence[str] = ()

    @classmethod
    def of(cls, suite: Suite, tasks: Sequence[Task], model: str, **options: Any) -> "Job":
        """A job from one set of options: those of the suite's settings, and those of the job."""
        of_suite = {field.name for field in fields(suite.Settings)}
        of_job = {field.name for field in fields(cls)} - {"suite", "tasks", "model", "settings"}
        unknown = sorted(set(options) - of_suite - of_job)
        if unknown:
            raise KitError(
                f"The suite {suite.name} has no setting {', '.join(unknown)}. "
                f"Use some of: {', '.join(sorted(of_suite | of_job))}."
            )
        settings = suite.Settings(**{name: options[name] for name in of_suite & options.keys()})
        job_options = {name: options[name] for name in of_job & options.keys()}
        for name in ("n", "seeds"):
            if job_options.get(name) is None:
                job_options[name] = suite.run_sizes.get(name, 1)
        return cls(suite, tasks, model, settings, **job_options)

    @cached_property
    def answering(self) -> Answering:
        """The source of answers: a model with its budget, a recording, or an agent with limits."""
        opened: Any = self.suite.model(self.model) or open_model(
            self.model,
            base_url=self.base_url,
            key_env=self.key_env,
            timeout_s=self.timeout,
            tries=self.retries + 1,
        )
        if isinstance(opened, Replay):
            return FromRecording(replace(opened, reader=self._read_answers), self.suite.sample)
        prices = load_prices()
        if self.price is not None:
            opened = replace(opened, price_key=self.model)
            prices = {**prices, self.model: Price(*self.price)}
        if isinstance(opened, Agent):
            if self.budget is not None:
                raise KitError(f"{opened.name} takes no budget; give --agent-budget for each task.")
            return FromAgent(opened, self.bounds, self.suite.take_program, prices)
        settings = self.settings
        model = asked_with(
            apply_thinking(opened, settings.thinking or ""),
            top_p=settings.top_p,
            stop=settings.stop,
            extra=settings.extra,
        )
        budget = None if self.budget is None else Budget(self.budget, prices)
        return FromModel(model, self.messages, self.suite.sample, prices, budget)

    def _read_answers(self, path: str) -> tuple[list[Sample], dict[str, Any]]:
        samples, meta = read_answers(path)
        return self.suite.adopt_answers(samples), meta

    @property
    def name(self) -> str:
        """The default name of the run, the same for the same suite and model."""
        safe = "".join(c if c.isalnum() or c in "-._" else "-" for c in self.answering.name)
        parts = (self.suite.name_in_runs, self.suite.variant, safe.strip("-."))
        return "-".join(filter(None, parts))

    @property
    def has_feedback(self) -> bool:
        """Whether failed tests are sent back to the model. Recordings include all rounds."""
        if self.settings.hint != feedback.HINT or isinstance(self.answering, FromRecording):
            return False
        if isinstance(self.answering, FromAgent):
            raise KitError("A coding agent takes no --hint feedback. Use another --hint.")
        return True

    @cached_property
    def _by_id(self) -> dict[str, Task]:
        return {t.id: t for t in self.tasks}

    @cached_property
    def slots(self) -> list[Sample]:
        """Every sample of the job, without its answer."""
        arm = self.settings.arm | self.arm
        if self.has_feedback:
            arm["round"] = 0
        only = getattr(self.settings, "language", "")
        groups: dict[str, list[Task]] = {}
        for task in self.tasks:
            groups.setdefault(only or self.suite.language_of(task.id), []).append(task)
        arms = [arm | {"prompt": prompt} for prompt in self.arms] or [arm]
        if self.seeds > 1:
            first = self.settings.seed or 0
            seeds = range(first, first + self.seeds * SEED_STEP, SEED_STEP)
            arms = [its_arm | {"seed": seed} for its_arm, seed in product(arms, seeds)]
        slots: dict[str, Sample] = {}
        for (language, tasks), its_arm in product(groups.items(), arms):
            for slot in self.answering.slots(tasks, n=self.n, language=language, arm=its_arm):
                if not self.arms or slot.arm.get("prompt") in self.arms:
                    slots[slot_of(slot)] = slot
        return list(slots.values())

    def messages(self, slot: Sample) -> Messages:
        """The question of a sample."""
        every = [t.cwe for other in self.tasks for t in other.tests]
        return self.suite.question(self._by_id[slot.task], slot, every)

    def forecast(self, run: str | None = None) -> str:
        """Calls, tokens, cost and time of the samples that `run` does not have yet."""
        fresh = self.slots
        if run_path(run or self.name).is_file():
            with Store(run or self.name, write=False) as store:
                fresh = [slot for slot in fresh if not pipeline.has_answer(store, slot)]
        sentence = self.answering.forecast(fresh) if fresh else "nothing to ask"
        counts = f"{len(self.slots) - len(fresh)} stored, {len(fresh)} new: {sentence}"
        return f"{counts.rstrip('.')}. {self.suite.forecast(len(fresh))}".rstrip()

    def generate(
        self, store: Store, more: Sequence[Sample] = (), after: Mapping[str, Messages] | None = None
    ) -> Tally:
        """Generate the samples that the store lacks; stops cleanly at the budget.

        after: slot -> the messages that follow its question.
        """
        slots = [*self.slots, *more]
        dropped = store.plan(self.tasks, slots)
        budget = getattr(self.answering, "budget", None)
        if budget is not None:
            budget.spent = store.meta().get("spent_usd", 0.0)
        waiting = [slot for slot in slots if not pipeline.has_answer(store, slot)]
        self.answering.start(store.response_cache(), waiting)

        def answer(slot: Sample) -> Sample:
            following = (after or {}).get(slot_of(slot), ())
            return self.answering.answer(slot, [*self.messages(slot), *following])

        try:
            tally = pipeline.generate_answers(store, slots, answer, workers=self.connections)
        finally:
            self.answering.stop()
            if budget is not None:
                store.set_meta(spent_usd=budget.spent)
        if dropped:
            tally += Tally(note=f"{dropped} samples of an earlier plan, never answered, left it")
        return tally

    def go(
        self,
        run: str | None = None,
        *,
        tier: str = "bwrap",
        workers: int = 2,
        stages: Stages | None = None,
    ) -> tuple[Tally, Tally, pd.DataFrame]:
        """Generate, execute and judge into the run; the two tallies and the tidy table.

        stages: how to execute and judge; by default without models, once, in this process.
        """
        with Store(run or self.name) as store, open_sandbox(tier, self.suite.limits) as box:
            store.begin(
                suite=self.suite.name,
                model=self.answering.name,
                sandbox=box.identity,
                settings=vars(self.settings),
                base_url=self.base_url or "",
                n=self.n,
                seeds=self.seeds,
                **report.provenance_now(),
                **self.suite.about(),
            )

            def generate_and_judge(
                more: Sequence[Sample] = (), after: Mapping[str, Messages] | None = None
            ) -> tuple[Tally, Tally]:
                asked = self.generate(store, more, after)
                return asked, (stages or Stages()).execute_and_judge(
                    store, self.suite, list(self.tasks), box, workers=workers
                )

            generated, executed = generate_and_judge()
            if self.has_feedback:
                calls = self.settings.calls or 1
                generated += feedback.run_repair_rounds(
                    store, self.tasks, self.slots, calls, generate_and_judge
                )
            return generated, executed, store.frame()


def read_answers(path: str) -> tuple[list[Sample], dict[str, Any]]:
    """The samples and the meta of a recording; of a run without one its answers."""
    if replay.file_of(path) or not run_path(path).is_file():
        return replay.read_task_answers(path)
    with Store(path, write=False) as store:
        return list(store.samples()), {}


def runs_below(run: str | Path, suite: Suite, *, tier: str = "bwrap", workers: int = 2) -> Go:
    """The function that Suite.selfcheck calls; it makes a folder per run, beside that of `run`."""
    home = run_path(run).parent

    def run_job(name: str, tasks: Sequence[Task], model: str, settings: Any) -> Path:
        job = Job(suite.with_settings(settings), tasks, model, settings)
        job.go(str(home / name), tier=tier, workers=workers)
        return home / name

    return run_job
