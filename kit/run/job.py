"""One model over one suite: forecast, generate, execute, judge; the same job resumes itself."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import pandas as pd

from kit.errors import KitError
from kit.generation import generate
from kit.generation.agents import Agent, Bounds
from kit.generation.cost import Budget, forecast, load_prices
from kit.generation.generate import answer
from kit.generation.models import open_model, thinking
from kit.generation.replay import Replay
from kit.pool import Tally
from kit.records import Sample, Task
from kit.run import pipeline
from kit.run.stages import Stages
from kit.sandbox import Limits, open_sandbox
from kit.store import Store
from kit.suites import spec


@dataclass(frozen=True)
class Job:
    """What is asked of whom. model: openai:NAME, anthropic:NAME, local, replay:DIR, agent:NAME.

    n samples a task; `prompt` names the arm of the suite's prompts. temperature, max_tokens and
    seed reach the model only when given. A recording brings its own n and settings. A coding agent
    has `bounds` in their place, which are columns of the table too.
    """

    suite: str
    tasks: Sequence[Task]
    model: str
    n: int = 1
    language: str = "python"
    prompt: str = "plain"
    temperature: float | None = None
    max_tokens: int | None = None
    thinking: str = ""  # as kit.generation.models.thinking takes it
    seed: int | None = None
    base_url: str | None = None
    key_env: str | None = None
    budget: float | None = None
    arm: dict[str, Any] = field(default_factory=dict)  # further columns of the tidy table
    bounds: Bounds = field(default_factory=Bounds)

    @cached_property
    def opened(self) -> Any:
        model = open_model(self.model, base_url=self.base_url, key_env=self.key_env)
        return thinking(model, self.thinking)

    @property
    def name(self) -> str:
        """The default name of the run, the same for the same suite and model."""
        safe = "".join(c if c.isalnum() or c in "-._" else "-" for c in self.opened.name)
        return f"{self.suite}-{safe.strip('-.')}"

    @cached_property
    def slots(self) -> list[Sample]:
        """Every sample that the job asks for, still empty."""
        if isinstance(self.opened, Replay):
            ids = {t.id for t in self.tasks}
            return [s for s in self.opened.samples if s.task in ids]
        sampling = {"temperature": self.temperature, "max_tokens": self.max_tokens}
        sampling |= {"seed": self.seed, "thinking": self.thinking or None}
        if isinstance(self.opened, Agent):
            sampling = vars(self.bounds)
        settings = {"prompt": self.prompt, **sampling, **self.arm}
        arm = {name: value for name, value in settings.items() if value is not None}
        name, language = self.opened.name, self.language
        return generate.slots(self.tasks, model=name, n=self.n, language=language, arm=arm)

    def messages(self, slot: Sample) -> list[dict[str, str]]:
        task = next(t for t in self.tasks if t.id == slot.task)
        arm = slot.arm.get("prompt", "plain")
        return spec.prompt(task, language=slot.language, arm=arm)

    def forecast(self) -> str:
        """Calls, tokens and cost before the first call, in a sentence."""
        if isinstance(self.opened, Replay):
            return f"{len(self.slots)} recorded samples; no call is made."
        if isinstance(self.opened, Agent):
            bounds, prices = self.bounds, self.bounds.dollars
            cost = "cost unbounded" if prices is None else f"about ${prices:g} each"
            each = f"{bounds.steps} actions and {bounds.seconds:g} s"
            return f"{len(self.slots)} workspaces, at most {each} each, {cost}"
        asked = [self.messages(slot) for slot in self.slots]
        limit = self.max_tokens
        return str(forecast(asked, self.opened, load_prices(), max_tokens=limit))

    def generate(self, store: Store, *, workers: int = 4) -> Tally:
        """Ask for what the store lacks; stops cleanly at the budget."""
        if isinstance(self.opened, Agent):
            return self._set_to_work(self.opened, store, workers)
        budget = None if self.budget is None else Budget(self.budget)
        tasks, cache = {t.id: t for t in self.tasks}, store.responses()

        def ask(slot: Sample) -> Sample:
            return answer(
                self.opened,
                tasks[slot.task],
                self.messages(slot),
                language=slot.language,
                index=slot.index,
                arm=slot.arm,
                cache=cache,
                budget=budget,
            )

        store.plan(self.tasks, self.slots)
        return pipeline.generate(store, self.slots, ask, workers=workers)

    def _set_to_work(self, agent: Agent, store: Store, workers: int) -> Tally:
        """Each open slot in a workspace of its own."""
        if self.budget is not None or self.temperature is not None or self.seed is not None:
            raise KitError(
                f"{agent.name} takes no budget, temperature or seed; "
                "bound each of its tasks with --dollars, --steps and --seconds."
            )
        bounds, price = self.bounds, load_prices().get(agent.price_key)
        agent.ready(bounds)
        store.plan(self.tasks, self.slots)
        with open_sandbox("bwrap", limits(bounds)) as box:

            def work(slot: Sample) -> Sample:
                text = "\n\n".join(m["content"] for m in self.messages(slot))
                return agent.work(box, slot, text, bounds=bounds, price=price)

            return pipeline.generate(store, self.slots, work, workers=workers)

    def go(
        self,
        run: str | None = None,
        *,
        tier: str = "bwrap",
        workers: int = 2,
        stages: Stages | None = None,
    ) -> tuple[Tally, Tally, pd.DataFrame]:
        """Generate, execute and judge into the run; the two tallies and the tidy table.

        stages: models that have a hand in execution or judgement; none by default.
        """
        with Store(run or self.name) as store, open_sandbox(tier) as box:
            store.set_meta(suite=self.suite, model=self.opened.name, sandbox=box.identity)
            generated = self.generate(store)
            executed = (stages or Stages()).go(store, list(self.tasks), box, workers=workers)
            return generated, executed, store.frame()


def limits(bounds: Bounds) -> Limits:
    """What the box of an agent may take: interpreters of its own, many files, much output."""
    room = {"memory_mb": 2048, "processes": 256, "disk_mb": 256, "output_kb": 16384}
    return Limits(wall_s=bounds.seconds, cpu_s=bounds.seconds, **room)
