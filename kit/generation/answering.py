"""What fills a run's slots, whatever it is: a model, a recording, or a coding agent."""

from collections.abc import Callable, Mapping, MutableMapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from kit.errors import KitError
from kit.generation.agents import Agent, Bounds
from kit.generation.base import Messages, Model, Response
from kit.generation.cost import Budget, Price, forecast, load_prices
from kit.generation.generate import SAMPLING, answer, slots
from kit.generation.replay import Replay
from kit.records import Sample, Task, content_key
from kit.sandbox import Limits, open_sandbox

Ask = Callable[[Sample], Messages]


class Answering(Protocol):
    """A source of answers. Threads may share one between `start` and `stop`."""

    @property
    def name(self) -> str: ...

    def slots(
        self, tasks: Sequence[Task], *, n: int, language: str, arm: dict[str, Any]
    ) -> list[Sample]:
        """The empty samples that it is going to fill, each with the key of what is asked."""
        ...  # fmt: skip

    def forecast(self, planned: Sequence[Sample], ask: Ask) -> str:
        """Calls, tokens and cost before the first call, in a sentence."""
        ...

    def start(self, cache: MutableMapping[str, Any]) -> None:
        """Before the first answer; KitError where it cannot begin."""
        ...

    def answer(self, slot: Sample, task: Task, messages: Messages) -> Sample: ...

    def stop(self) -> None: ...


@dataclass
class FromModel:
    """Answers of a model, one call a slot. read: makes the sample of a slot and a response."""

    model: Model
    ask: Ask
    read: Callable[[Sample, Response], Sample]
    prices: Mapping[str, Price] = field(default_factory=load_prices)
    budget: Budget | None = None
    cache: MutableMapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.model.name

    def slots(self, tasks: Sequence[Task], *, n: int, language: str,
              arm: dict[str, Any]) -> list[Sample]:  # fmt: skip
        planned = slots(tasks, model=self.model.name, n=n, language=language, arm=arm)
        sampling = {name: arm[name] for name in SAMPLING if arm.get(name) is not None}
        keys = {
            s.task: content_key(self.model.identity, [dict(m) for m in self.ask(s)], sampling)
            for s in planned
            if s.index == 0
        }
        return [replace(s, asked=keys[s.task]) for s in planned]

    def forecast(self, planned: Sequence[Sample], ask: Ask) -> str:
        limits = [s.arm.get("max_tokens") for s in planned[:1]]
        return str(
            forecast(map(ask, planned), self.model, self.prices, max_tokens=(limits or [None])[0])
        )

    def start(self, cache: MutableMapping[str, Any]) -> None:
        self.cache = cache

    def answer(self, slot: Sample, task: Task, messages: Messages) -> Sample:
        return answer(self.model, task, messages, language=slot.language, index=slot.index,
                      arm=slot.arm, cache=self.cache, budget=self.budget,
                      read=self.read)  # fmt: skip

    def stop(self) -> None:
        """Nothing is held."""


@dataclass
class FromRecording:
    """Recorded answers, with the settings that they were asked with; read: as of FromModel."""

    recording: Replay
    read: Callable[[Sample, Response], Sample] | None = None

    @property
    def name(self) -> str:
        return self.recording.name

    def slots(self, tasks: Sequence[Task], *, n: int, language: str,  # noqa: ARG002
              arm: dict[str, Any]) -> list[Sample]:  # noqa: ARG002  # fmt: skip
        ids = {t.id for t in tasks}
        return [s for s in self.recording.samples if s.task in ids]

    def forecast(self, planned: Sequence[Sample], ask: Ask) -> str:  # noqa: ARG002
        return f"{len(planned)} recorded samples; no call is made."

    def start(self, cache: MutableMapping[str, Any]) -> None:
        """Nothing is needed."""

    def answer(self, slot: Sample, task: Task, messages: Messages) -> Sample:  # noqa: ARG002
        return self.recording.recall(slot, messages=messages, read=self.read)

    def stop(self) -> None:
        """Nothing is held."""


@dataclass
class FromAgent:
    """A coding agent in an empty workspace for each slot, within bounds."""

    agent: Agent
    bounds: Bounds
    _open: ExitStack = field(default_factory=ExitStack)

    @property
    def name(self) -> str:
        return self.agent.name

    def slots(self, tasks: Sequence[Task], *, n: int, language: str,
              arm: dict[str, Any]) -> list[Sample]:  # fmt: skip
        if odd := [k for k in ("temperature", "seed", "top_p") if arm.get(k) is not None]:
            raise KitError(
                f"{self.agent.name} takes no budget, temperature or seed (got {', '.join(odd)}); "
                "bound each of its tasks with --dollars, --steps and --seconds."
            )
        kept = {k: v for k, v in arm.items() if k not in ("max_tokens", "thinking")}
        bounds = {k: v for k, v in vars(self.bounds).items() if v is not None}
        return slots(tasks, model=self.name, n=n, language=language, arm=kept | bounds)

    def forecast(self, planned: Sequence[Sample], ask: Ask) -> str:  # noqa: ARG002
        bounds = self.bounds
        cost = "cost unbounded" if bounds.dollars is None else f"about ${bounds.dollars:g} each"
        each = f"{bounds.steps} actions and {bounds.seconds:g} s"
        return f"{len(planned)} workspaces, at most {each} each, {cost}"

    def start(self, cache: MutableMapping[str, Any]) -> None:  # noqa: ARG002
        self.agent.ready(self.bounds)
        seconds = self.bounds.seconds
        limits = Limits(wall_s=seconds, cpu_s=seconds, memory_mb=2048, processes=256, disk_mb=256,
                        output_kb=16384)  # fmt: skip
        self._box = self._open.enter_context(open_sandbox("bwrap", limits))

    def answer(self, slot: Sample, task: Task, messages: Messages) -> Sample:  # noqa: ARG002
        text = "\n\n".join(m["content"] for m in messages)
        price = load_prices().get(self.agent.price_key)
        return self.agent.work(self._box, slot, text, bounds=self.bounds, price=price)

    def stop(self) -> None:
        self._open.close()
