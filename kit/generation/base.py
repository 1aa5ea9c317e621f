"""Defines what every model provides: Response, the Model protocol, and the kinds of failures."""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from kit.core.records import Sample, Status
from kit.sandbox import Sandbox

ENDINGS = tomllib.loads(Path(__file__).with_name("endings.toml").read_text("utf-8"))
Messages = Sequence[Mapping[str, str]]  # dicts of `role` (system, user, assistant) and `content`


@dataclass(frozen=True)
class Response:
    """One answer as the service sent it. None: the service did not report it."""

    text: str
    finish_reason: str = ""  # in the service's own word
    served_model: str = ""  # the model that answered, by the service; may differ from the requested
    input_tokens: int | None = None
    output_tokens: int | None = None
    seed: int | None = None  # the seed that was used, not the one of the first sample
    truncated: bool = False
    refused: bool = False
    reasoning: str = ""  # what the model thought before, if the service sent it
    latency_s: float = 0.0  # of the attempt that succeeded
    created: str = ""
    attempts: int = 1


FACTS = (  # of a response, which its sample keeps under the same names
    "finish_reason",
    "served_model",
    "input_tokens",
    "output_tokens",
    "seed",
    "truncated",
    "reasoning",
    "created",
)


def response_from(entry: Mapping[str, Any]) -> Response:
    """The response of a cache's entry, which may say more."""
    names = {field.name for field in fields(Response)}
    return Response(**{name: entry[name] for name in names & entry.keys()})


def response_of(sample: Sample) -> Response:
    """The inverse of `with_response`, as far as a sample keeps its response."""
    facts = {name: getattr(sample, name) for name in FACTS}
    return Response(sample.response, refused=sample.status is Status.REFUSED, **facts)


def with_response(slot: Sample, response: Response) -> Sample:
    """The slot with the facts of its response: completed or refused; no program is extracted."""
    facts = {name: getattr(response, name) for name in FACTS}
    sample = replace(slot, response=response.text, **facts)
    if response.refused:
        note = f"The model or its service refused to answer ({response.finish_reason})."
        return replace(sample, status=Status.REFUSED, note=note)
    return replace(sample, status=Status.COMPLETED)


class Model(Protocol):
    """A model that answers messages. Threads may share one.

    identity is part of every cache key: models of equal identity give interchangeable answers.
    price_key names a row of data/prices.csv, or is "" if the price is unknown.
    default_max_tokens is what is sent when max_tokens is None; None leaves it to the service.
    """

    @property
    def name(self) -> str: ...
    @property
    def identity(self) -> str: ...
    @property
    def price_key(self) -> str: ...
    @property
    def default_max_tokens(self) -> int | None: ...

    def generate(
        self,
        messages: Messages,
        *,
        temperature: float | None = None,
        max_tokens: int | None = None,
        seed: int | None = None,
        index: int = 0,
    ) -> Response: ...


@dataclass(frozen=True)
class NextQuestion:
    """What `Model.generate` is called with. sampling: its temperature, max_tokens and seed."""

    messages: Messages
    sampling: Mapping[str, Any]
    index: int


@runtime_checkable
class Batching(Protocol):
    """A model that answers several questions at once, if it is told what will be asked."""

    def expect(self, questions: Iterable[NextQuestion]) -> None: ...


@dataclass(frozen=True)
class Bounds:
    """The limits of an agent for one task, and whether it may use the network."""

    steps: int = 60  # actions
    seconds: float = 600.0
    dollars: float | None = None  # counted if the agent's stream reports its cost
    network: bool = False


@runtime_checkable
class Agent(Protocol):
    """A coding agent that replaces a model and works in an empty workspace of a sandbox."""

    @property
    def name(self) -> str: ...
    @property
    def price_key(self) -> str: ...
    @property
    def version(self) -> str: ...

    def ready(self, bounds: Bounds, price: Any = None) -> None:
        """KitError if it cannot start."""

    def work(
        self, box: Sandbox, slot: Sample, task: str, *, bounds: Bounds, price: Any = None
    ) -> Sample:
        """The slot with the program that the agent left in its workspace."""
        ...


PERMANENT = "The same request will fail again; change the model, its settings or its key."


class ModelError(Exception):
    """The service did not answer: an infrastructure failure, never the model's answer."""

    retry = False  # can the same request succeed later?
    permanent = False  # does the same request fail in every later run too?
    maybe_billed = False  # may the service have produced (and charged for) an answer?

    def __init__(self, sentence: str, *, retry: bool | None = None, wait_s: float | None = None):
        super().__init__(sentence)
        self.retry = type(self).retry if retry is None else retry
        self.wait_s = wait_s  # from the service's Retry-After
        self.attempts = 1


class AuthenticationFailed(ModelError):
    """The key was refused, or has no right to this model."""

    permanent = True


class ModelNotFound(ModelError):
    """No such model or address."""

    permanent = True


class BadRequest(ModelError):
    """The service rejected the request: a parameter, or its length."""

    permanent = True


class RateLimited(ModelError):
    """Too many requests; or a used-up quota, which is not retried."""

    retry = True


class ServerFailed(ModelError):
    """The service failed (5xx)."""

    retry = True


class BrokenOff(ServerFailed):
    """The service sent status 200, and that it failed while it answered."""

    maybe_billed = True


class TimedOut(ModelError):
    """No answer within the time limit."""

    retry = maybe_billed = True


class ConnectionCut(ModelError):
    """No connection, or one that ended before the answer did."""

    retry = maybe_billed = True


class MalformedAnswer(ModelError):
    """The service sent status 200 and no valid answer."""

    maybe_billed = True


UNRECORDED = "no recorded answer"  # in the sentence of every NotRecorded


class NotRecorded(ModelError):
    """A recording was asked what it has no answer to."""


def classify_ending(word: str) -> str:
    """How an answer ended: stop, length, filter, tool or failure; unknown for an unlisted word."""
    first = re.split("[:,]", word.lower())[0].strip().removeprefix("finishreason.")
    plain = re.sub("[- ]", "_", first)
    for kind, words in ENDINGS.items():
        if plain in words:
            return kind
    return "unknown"


def seed_of(seed: int | None, index: int) -> int | None:
    """seed + index, so that samples of one question differ and each can be repeated alone."""
    return None if seed is None else seed + index


def current_time() -> str:
    """The current time in UTC, as in records."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def sanitize_message(text: str, secret: str | None) -> str:
    """The text on one printable line of at most 300 characters, without any copy of the secret."""
    if secret:
        text = text.replace(secret, "***")
    words = re.sub(r"\s+", " ", text).strip()
    line = "".join(letter if letter.isprintable() else "?" for letter in words)
    return line if len(line) <= 300 else line[:300] + "..."
