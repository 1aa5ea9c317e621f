"""Fills the slots (planned samples) of a run with answers of a model, a recording or an agent."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Any

from kit.core.errors import KitError
from kit.core.records import Sample, Status, Task, content_key
from kit.generation import base
from kit.generation.base import (
    Agent,
    Batching,
    Bounds,
    Messages,
    Model,
    ModelError,
    NextQuestion,
    Response,
)
from kit.generation.base import with_response as with_response  # who reads answers imports it here
from kit.generation.cost import Budget, Price, forecast_cost, load_prices
from kit.generation.replay import RecordedModel, Replay, slot_key
from kit.sandbox import Limits, open_sandbox

GRACE_S = 30.0  # after an agent's limit of time, which ends it from within its box
SAMPLING = ("temperature", "max_tokens", "seed")  # the columns of an arm that go to the model


def empty_slots(
    tasks: Sequence[Task], *, model: str, n: int, language: str, arm: dict[str, Any]
) -> list[Sample]:
    """The samples that a run will fill, without answers: n for each task."""
    slots = []
    for task in tasks:
        for index in range(n):
            slots.append(Sample(task.id, model, index, language, arm, Status.NOT_RUN))
    return slots


def _select_sampling(arm: Mapping[str, Any]) -> dict[str, Any]:
    return {name: arm[name] for name in SAMPLING if arm.get(name) is not None}


def fetch_response(
    model: Model,
    messages: Messages,
    sampling: dict[str, Any],
    index: int,
    key: str,
    cache: MutableMapping[str, dict[str, Any]],
    budget: Budget | None,
    slot: str = "",
) -> Response:
    """The cached response, or a new one within the budget, which is cached at once.

    The cache keeps with it what was asked, so that it is a recording too. slot: the key of the
    sample that is asked for, if one is. A recorded answer costs nothing.
    """
    entry = cache.get(key)
    if entry is not None and not entry.get("malformed"):
        return base.response_from(entry)
    ask = partial(model.generate, messages, **sampling, index=index)
    limit = sampling.get("max_tokens")
    if budget is None or isinstance(model, RecordedModel):
        response = ask()
    else:
        response = budget.spend(model, messages, limit, ask)
    asked = {
        "question": content_key(messages),
        "model": model.name,
        "index": index,
        "settings": sampling,
        "slot": slot,
    }
    cache[key] = {**asdict(response), "asked": asked}
    return response


class Answering(ABC):
    """A source of answers. Threads may share one between `start` and `stop`."""

    source: Model | Replay | Agent

    @property
    def name(self) -> str:
        """The model's name in the tidy table."""
        return self.source.name

    @abstractmethod
    def slots(
        self, tasks: Sequence[Task], *, n: int, language: str, arm: dict[str, Any]
    ) -> list[Sample]:
        """The samples that it will fill, each with the key of what is asked."""

    @abstractmethod
    def forecast(self, planned: Sequence[Sample]) -> str:
        """Calls, tokens and cost of these samples, in a sentence."""

    def start(self, cache: MutableMapping[str, Any], waiting: Sequence[Sample]) -> None:  # noqa: B027
        """Called before the first answer; KitError if it cannot begin. waiting: what is asked."""

    @abstractmethod
    def answer(self, slot: Sample, messages: Messages) -> Sample:
        """The sample with its answer."""

    def stop(self) -> None:  # noqa: B027
        """Called after the last answer; frees what `start` opened."""


@dataclass
class FromModel(Answering):
    """Answers of a model: at most one call for each sample, whose answer is read at every call.

    ask: the question of a sample. read: makes a sample of a slot and a response.
    """

    source: Model
    ask: Callable[[Sample], Messages]
    read: Callable[[Sample, Response], Sample]
    prices: Mapping[str, Price]
    budget: Budget | None
    cache: MutableMapping[str, Any] = field(default_factory=dict)

    def slots(
        self, tasks: Sequence[Task], *, n: int, language: str, arm: dict[str, Any]
    ) -> list[Sample]:
        planned = empty_slots(tasks, model=self.name, n=n, language=language, arm=arm)
        identity = self.source.identity
        sampling = _select_sampling(arm)
        keys = {}
        for slot in planned:
            if slot.index == 0:
                keys[slot.task] = content_key(identity, self.ask(slot), sampling)
        return [replace(slot, asked=keys[slot.task]) for slot in planned]

    def forecast(self, planned: Sequence[Sample]) -> str:
        limit = planned[0].arm.get("max_tokens") if planned else None
        return str(
            forecast_cost(map(self.ask, planned), self.source, self.prices, max_tokens=limit)
        )

    def start(self, cache: MutableMapping[str, Any], waiting: Sequence[Sample]) -> None:
        self.cache = cache
        if isinstance(self.source, Batching):
            questions = []
            for slot in waiting:
                sampling = _select_sampling(slot.arm)
                questions.append(NextQuestion(self.ask(slot), sampling, slot.index))
            self.source.expect(q for q in questions if self._cache_key(q) not in cache)

    def _cache_key(self, question: NextQuestion) -> str:
        identity = self.source.identity
        return content_key(identity, question.messages, question.sampling, question.index)

    def answer(self, slot: Sample, messages: Messages) -> Sample:
        """An infra_error if the service fails. Raises BudgetReached before a call beyond it."""
        sampling = _select_sampling(slot.arm)
        key = self._cache_key(NextQuestion(messages, sampling, slot.index))
        try:
            rest = (key, self.cache, self.budget, slot_key(slot))
            response = fetch_response(self.source, messages, sampling, slot.index, *rest)
        except ModelError as error:
            note = f"{type(error).__name__}: {error}"
            if error.attempts > 1:
                note += f" ({error.attempts} attempts)"
            if error.permanent:
                note += f" {base.PERMANENT}"
            return replace(slot, status=Status.INFRA_ERROR, note=note, created=base.current_time())
        return self.read(slot, response)


@dataclass
class FromRecording(Answering):
    """Recorded answers with their recorded settings. read: as in FromModel."""

    source: Replay
    read: Callable[[Sample, Response], Sample]

    def slots(
        self,
        tasks: Sequence[Task],
        *,
        n: int,  # noqa: ARG002
        language: str,  # noqa: ARG002
        arm: dict[str, Any],  # noqa: ARG002
    ) -> list[Sample]:
        ids = {task.id for task in tasks}
        return [sample for sample in self.source.samples if sample.task in ids]

    def forecast(self, planned: Sequence[Sample]) -> str:
        return f"{len(planned)} recorded samples; no call is made."

    def answer(self, slot: Sample, messages: Messages) -> Sample:
        return self.source.recall(slot, messages=messages, read=self.read)


@dataclass
class FromAgent(Answering):
    """Programs of a coding agent, which gets an empty workspace for each sample and has bounds.

    take: what the suite executes of the file that the agent left.
    """

    source: Agent
    bounds: Bounds
    take: Callable[[Sample], Sample]
    prices: Mapping[str, Price] = field(default_factory=load_prices)
    _open: ExitStack = field(default_factory=ExitStack)

    def slots(
        self, tasks: Sequence[Task], *, n: int, language: str, arm: dict[str, Any]
    ) -> list[Sample]:
        refused = [name for name in ("temperature", "seed", "top_p") if arm.get(name) is not None]
        if refused:
            raise KitError(
                f"{self.name} takes no budget, temperature or seed (got {', '.join(refused)}); "
                "bound its tasks with --agent-budget, --agent-steps, --agent-seconds."
            )
        its_arm = dict(arm)
        its_arm.pop("max_tokens", None)
        its_arm.pop("thinking", None)
        for name, bound in vars(self.bounds).items():
            if bound is not None:
                its_arm[name] = bound
        its_arm["version"] = self.source.version
        return empty_slots(tasks, model=self.name, n=n, language=language, arm=its_arm)

    def forecast(self, planned: Sequence[Sample]) -> str:
        bounds = self.bounds
        cost = "cost unbounded" if bounds.dollars is None else f"about ${bounds.dollars:g} each"
        each = f"{bounds.steps} actions and {bounds.seconds:g} s"
        return f"{len(planned)} workspaces, at most {each} each, {cost}"

    def start(self, cache: MutableMapping[str, Any], waiting: Sequence[Sample]) -> None:  # noqa: ARG002
        self.source.ready(self.bounds, self._price)
        seconds = self.bounds.seconds
        limits = Limits(
            wall_s=seconds + GRACE_S,
            cpu_s=seconds + GRACE_S,
            memory_mb=2048,
            processes=256,
            disk_mb=256,
            output_kb=16384,
        )
        self._box = self._open.enter_context(open_sandbox("bwrap", limits))

    def answer(self, slot: Sample, messages: Messages) -> Sample:
        text = "\n\n".join(message["content"] for message in messages)
        sample = self.source.work(self._box, slot, text, bounds=self.bounds, price=self._price)
        return self.take(sample) if sample.code else sample

    @property
    def _price(self) -> Price | None:
        return self.prices.get(self.source.price_key)

    def stop(self) -> None:
        self._open.close()
