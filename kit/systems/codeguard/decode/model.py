"""A completion model that is decoded by one of four methods: it takes the raw text of a prompt.

Outputs come in a fixed order for a prompt and a seed: run after run of the method, each with a
seed of its own. Answers are the outputs that meet the constraints, in that order, so that a
sample is the same whether it is asked for alone or with others.
"""

import functools
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Protocol

from kit.errors import KitError
from kit.generation import base
from kit.generation.base import Messages, Response
from kit.generation.local import LocalModel
from kit.records import content_key
from kit.systems.codeguard.decode.request import Completion, Constraints, Request, Settings

METHODS = ("nucleus", "beam", "constrained", "mucola")
ENFORCED = ("constrained", "mucola")
BEAMS = ("beam", "constrained")
MOST = 100  # outputs of a prompt, until enough meet the constraints (CodeGuard+ section 5.1)
_one_at_a_time = threading.RLock()


class Source(Protocol):
    """Where a causal model of transformers and its tokenizer come from."""

    @property
    def name(self) -> str: ...

    @property
    def identity(self) -> str: ...

    def load(self) -> tuple[Any, Any]: ...


@dataclass(frozen=True)
class Loaded:
    """A model that is in memory already; equal names must mean equal weights."""

    name: str
    model: Any
    tokenizer: Any

    @property
    def identity(self) -> str:
        return self.name

    def load(self) -> tuple[Any, Any]:
        return self.model, self.tokenizer


@dataclass
class _Outputs:
    made: list[Completion] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)  # of the run that each is from


@functools.lru_cache(maxsize=256)
def _outputs(_key: str) -> _Outputs:
    """What was made so far for a model, its settings, a prompt and a seed."""
    return _Outputs()


@dataclass(frozen=True)
class DecodingModel:
    """A causal model decoded by `decoding`: nucleus, beam, constrained or mucola.

    constraints: enforced by the last two, which draw again what fails; only judged by the others.
    width: outputs of one run; None is all beams, and 1 for nucleus and mucola.
    most: outputs for one prompt and seed, after which those that fail are given as well.
    threads: of torch; on one, equal seeds give equal tokens on any machine, and no thread waits for
    another, which on a busy machine takes minutes. None: torch's own number, for a large model.
    """

    decoding: str = "nucleus"
    constraints: Constraints = Constraints()
    settings: Settings = Settings()
    source: Source = LocalModel()
    width: int | None = None
    most: int = MOST
    price_key: str = ""
    threads: int | None = 1

    def __post_init__(self) -> None:
        if self.decoding not in METHODS:
            raise KitError(f"Unknown decoding {self.decoding!r}. Use one of: {', '.join(METHODS)}.")
        if self.decoding in BEAMS and self.at_once > self.settings.beams:
            raise KitError(f"Got width {self.width}; use at most {self.settings.beams}, the beams.")
        if self.at_once < 1 or self.most < 1:
            raise KitError("Got a width or most below 1. Use whole numbers from 1 on.")

    @property
    def at_once(self) -> int:
        """Outputs of one run."""
        beams = self.settings.beams if self.decoding in BEAMS else 1
        return beams if self.width is None else self.width

    @property
    def name(self) -> str:
        return f"{self.source.name}+{self.decoding}"

    @property
    def default_max_tokens(self) -> int:
        return self.settings.max_new_tokens

    @property
    def identity(self) -> str:
        facts = (asdict(self.settings), asdict(self.constraints), self.at_once, self.most)
        return f"{self.source.identity}, {self.decoding} {content_key(*facts)[:16]}"

    def generate(
        self,
        messages: Messages | str,
        *,
        temperature: float | None = None,
        max_tokens: int | None = None,
        seed: int | None = None,
        index: int = 0,
    ) -> Response:
        """The index-th output, of enforced constraints the index-th that meets them.

        finish_reason: stop, length, or constraints where they are not met. messages: the prompt's
        text, or one user message that holds it. seed None is 0. Raises BadRequest.
        """
        settings = self._settings(temperature, max_tokens)
        with _one_at_a_time:
            asked, held = self._filled(prompt_of(messages), settings, seed or 0, index)
            place = self._order(held.made)[index]
        made = held.made[place]
        reason = "stop" if made.finished else "length"
        return Response(
            text=made.text,
            finish_reason=reason if made.met else "constraints",
            served_model=self.identity,
            input_tokens=asked,
            output_tokens=len(made.tokens),
            seed=made.seed,
            truncated=not made.finished,
            latency_s=round(held.seconds[place], 3),
            created=base.now(),
        )

    def outputs(self, messages: Messages | str, *, n: int, seed: int = 0) -> list[Completion]:
        """All outputs that were made until n of them met the constraints, or `most` were made.

        The share of them that meet the constraints is the paper's Constraint Rate.
        """
        with _one_at_a_time:
            return list(self._filled(prompt_of(messages), self.settings, seed, n - 1)[1].made)

    def _settings(self, temperature: float | None, max_tokens: int | None) -> Settings:
        given: dict[str, Any] = {}
        if max_tokens is not None:
            given["max_new_tokens"] = max_tokens
        if temperature is not None and self.decoding != "nucleus":
            raise base.BadRequest(f"{self.decoding} has no temperature. Leave it out, or use "
                                  "nucleus.")  # fmt: skip
        if temperature is not None:
            given["temperature"] = temperature
        return replace(self.settings, **given)

    def _filled(
        self, prompt: str, settings: Settings, seed: int, index: int
    ) -> tuple[int, _Outputs]:
        """(tokens of the prompt, its outputs: enough for the index, or all that there may be)."""
        model, tokenizer = self.source.load()
        from kit.systems.codeguard.decode import mucola, sampling  # which import torch

        methods: tuple[Callable[[Request], list[Completion]], ...] = (
            sampling.nucleus, sampling.beam_sampling, sampling.constrained_beam, mucola.mucola
        )  # fmt: skip
        decode = methods[METHODS.index(self.decoding)]
        ids = tokenizer.encode(prompt, add_special_tokens=False)
        first = Request(model, tokenizer, ids, self.at_once, settings, seed, self.constraints)
        try:
            sampling.check_room(first)
        except KitError as error:
            raise base.BadRequest(str(error)) from None
        held = _outputs(content_key(self.identity, asdict(settings), prompt, seed))
        while len(held.made) <= index or self._wanting(held.made, index):
            start = time.monotonic()
            with sampling.on_threads(self.threads):
                fresh = decode(replace(first, seed=seed + len(held.made)))
            held.made += fresh
            held.seconds += [time.monotonic() - start] * len(fresh)
        return len(ids), held

    def _wanting(self, made: Sequence[Completion], index: int) -> bool:
        """Are more outputs to be drawn until index + 1 of them meet enforced constraints?"""
        if self.decoding not in ENFORCED or len(made) >= self.most:
            return False
        return sum(c.met for c in made) <= index

    def _order(self, made: Sequence[Completion]) -> list[int]:
        """The places of the outputs in the order in which they are given."""
        places = range(len(made))
        if self.decoding not in ENFORCED:
            return list(places)
        return sorted(places, key=lambda i: not made[i].met)


def prompt_of(messages: Messages | str) -> str:
    """The text to be completed. Raises BadRequest for more than one user message."""
    if isinstance(messages, str):
        return messages
    if [m.get("role") for m in messages] != ["user"]:
        roles = ", ".join(str(m.get("role")) for m in messages) or "nothing"
        raise base.BadRequest(
            f"A completion model goes on with one text; got messages of: {roles}. Give the "
            "prompt's text, or one user message that holds it."
        )
    return messages[0]["content"]
