"""Completes the raw text of a prompt with a local model and one of four decoding methods.

The outputs for a prompt and a seed have a fixed order: the method runs repeatedly, each time with
its own seed. So a sample is the same whether it is requested alone or with others.
"""

import functools
import threading
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace

from kit.core.errors import KitError
from kit.core.records import content_key
from kit.generation import base
from kit.generation.base import Messages, Response
from kit.generation.local import LocalModel
from kit.systems.codeguard.decode.request import Completion, Constraints, DecodingSettings, Request

METHODS = ("nucleus", "beam", "constrained", "mucola")
ENFORCED = ("constrained", "mucola")
BEAMS = ("beam", "constrained")
Outputs = list[tuple[Completion, float]]  # each with the duration of the run that made it
_one_at_a_time = threading.RLock()


@functools.lru_cache(maxsize=256)
def _output_cache(_key: str) -> Outputs:
    """The outputs so far for a model, its settings, a prompt and a seed."""
    return []


@dataclass(frozen=True)
class DecodingModel:
    """A causal model decoded by `decoding`: nucleus, beam, constrained or mucola.

    constraints: prompt text -> its task's constraints; the last two methods enforce them, the
    others only check them. again: the maximum number of completions drawn per prompt and seed
    until enough meet the enforced constraints; after that, failing ones are returned too. 0: no
    redraws, so every output is a sample. width: outputs per run; None: all beams, or 1 for nucleus
    and mucola. torch uses one thread: equal seeds then give equal tokens on any machine, and
    threads do not wait for each other, which takes minutes on a busy machine.
    """

    decoding: str = "nucleus"
    constraints: Mapping[str, Constraints] = field(default_factory=dict)
    settings: DecodingSettings = DecodingSettings()
    source: LocalModel = LocalModel()
    width: int | None = None
    again: int = 0
    price_key: str = ""

    def __post_init__(self) -> None:
        if self.decoding not in METHODS:
            raise KitError(f"Unknown decoding {self.decoding!r}. Use one of: {', '.join(METHODS)}.")
        if self.decoding in BEAMS and self.at_once > self.settings.beams:
            raise KitError(f"Got width {self.width}; use at most {self.settings.beams} (beams).")
        if self.at_once < 1 or self.again < 0:
            raise KitError("Got width < 1 or again < 0. Use width >= 1, again >= 0.")

    @property
    def at_once(self) -> int:
        """Outputs per run."""
        beams = self.settings.beams if self.decoding in BEAMS else 1
        return beams if self.width is None else self.width

    @property
    def name(self) -> str:
        return self.source.name

    @property
    def default_max_tokens(self) -> int:
        return self.settings.max_new_tokens

    @property
    def identity(self) -> str:
        phrases = {prompt: [c.positive, c.negative] for prompt, c in self.constraints.items()}
        served = self.identify_outputs(self.settings, Constraints())
        return f"{served}, {self.again} {content_key(phrases)[:16]}"

    def identify_outputs(self, settings: DecodingSettings, constraints: Constraints) -> str:
        """Key of everything that decides the outputs for a prompt with these constraints."""
        facts = (asdict(settings), asdict(constraints), self.at_once, max(1, self.again))
        return f"{self.source.identity}, {self.decoding} {content_key(*facts)[:16]}"

    def generate(
        self,
        messages: Messages,
        *,
        temperature: float | None = None,
        max_tokens: int | None = None,
        seed: int | None = None,
        index: int = 0,
    ) -> Response:
        """The index-th output; with redraws, the index-th output that meets the constraints.

        messages: one user message with the prompt's text. finish_reason: stop or length; with
        redraws also the number of the draw, as in "stop, draw 3", and "constraints" instead of
        stop or length if they are not met. seed None means 0. Raises BadRequest.
        """
        prompt = prompt_of(messages)
        settings = self.settings
        if temperature is not None and self.decoding != "nucleus":
            raise base.BadRequest(
                f"{self.decoding} has no temperature. Leave it out, or use nucleus."
            )
        if temperature is not None:
            settings = replace(settings, temperature=temperature)
        if max_tokens is not None:
            settings = replace(settings, max_new_tokens=max_tokens)
        constraints = self.constraints.get(prompt, Constraints())
        with _one_at_a_time:
            prompt_tokens, outputs = self.fill_outputs(
                prompt, constraints, settings, seed or 0, index
            )
            places = list(range(len(outputs)))
            if self.again and self.decoding in ENFORCED:
                places.sort(key=lambda i: not outputs[i][0].met)
            completion, seconds = outputs[places[index]]
        reason = "stop" if completion.finished else "length"
        if self.again:
            if not completion.met:
                reason = "constraints"
            reason += f", draw {places[index] + 1}"
        return Response(
            text=completion.text,
            finish_reason=reason,
            served_model=self.identify_outputs(settings, constraints),
            input_tokens=prompt_tokens,
            output_tokens=len(completion.tokens),
            seed=completion.seed,
            truncated=not completion.finished,
            latency_s=round(seconds, 3),
            created=base.current_time(),
        )

    def fill_outputs(
        self,
        prompt: str,
        constraints: Constraints,
        settings: DecodingSettings,
        seed: int,
        index: int,
    ) -> tuple[int, Outputs]:
        """(number of prompt tokens, outputs: enough for `index`, or as many as `again` allows)."""
        model, tokenizer = self.source.load()
        from kit.systems.codeguard.decode import mucola, sampling  # slow: they import torch

        decode = {
            "nucleus": sampling.nucleus,
            "beam": sampling.beam_sampling,
            "constrained": sampling.constrained_beam,
            "mucola": mucola.mucola,
        }
        ids = tokenizer.encode(prompt, add_special_tokens=False)
        first = Request(model, tokenizer, ids, self.at_once, settings, seed, constraints)
        sampling.check_room(first)
        outputs = _output_cache(
            content_key(self.identify_outputs(settings, constraints), prompt, seed)
        )
        while len(outputs) <= index or self._needs_more_outputs(outputs, index):
            start = time.monotonic()
            with sampling.on_one_thread():
                fresh = decode[self.decoding](replace(first, seed=seed + len(outputs)))
            spent = time.monotonic() - start
            outputs += [(completion, spent) for completion in fresh]
        return len(ids), outputs

    def _needs_more_outputs(self, outputs: Outputs, index: int) -> bool:
        """Must more be drawn, because at most `index` outputs meet the enforced constraints?"""
        if self.decoding not in ENFORCED or len(outputs) >= self.again:
            return False
        return sum(completion.met for completion, _ in outputs) <= index


def prompt_of(messages: Messages) -> str:
    """The text to be completed. Raises BadRequest for more than one user message."""
    roles = [message.get("role") for message in messages]
    if roles != ["user"]:
        names = ", ".join(map(str, roles)) or "nothing"
        raise base.BadRequest(
            f"A completion model continues one text; got messages of: {names}. Give one user "
            "message that holds the prompt's text."
        )
    return messages[0]["content"]
