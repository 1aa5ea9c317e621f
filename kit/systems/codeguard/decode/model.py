"""Completes the raw text of a prompt with a local model and one of four decoding methods.

The outputs for a prompt and a seed have a fixed order: the method runs repeatedly, each time with
its own seed. So a sample is the same whether it is requested alone or with others. A model that
knows what is asked next (`expect`) does several runs at once, also of different prompts.
"""

import functools
import math
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace

from kit.core.errors import KitError
from kit.core.records import content_key
from kit.generation import base
from kit.generation.base import Messages, NextQuestion, Response
from kit.generation.local import LocalModel, use_threads
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
class Series:
    """The outputs of one prompt under one seed. count: how many of them are asked for."""

    key: str
    request: Request
    count: int

    @property
    def outputs(self) -> Outputs:
        return _output_cache(self.key)


@dataclass(frozen=True)
class DecodingModel:
    """A causal model decoded by `decoding`: nucleus, beam, constrained or mucola.

    constraints: prompt text -> its task's constraints; the last two methods enforce them, the
    others only check them. again: the maximum number of completions drawn per prompt and seed
    until enough meet the enforced constraints; after that, failing ones are returned too. 0: no
    redraws, so every output is a sample. as_published: whether an output meets them is counted as
    the authors count it. width: outputs per run; None: all beams, or 1 for nucleus and mucola.

    The source's batch is the number of runs at once; in 32 bits it changes no output. Unless the
    source says how many threads, torch uses one: equal seeds then give equal tokens on any machine,
    and threads do not wait for each other, which takes minutes on a busy machine.
    """

    decoding: str = "nucleus"
    constraints: Mapping[str, Constraints] = field(default_factory=dict)
    settings: DecodingSettings = DecodingSettings()
    source: LocalModel = LocalModel()
    width: int | None = None
    again: int = 0
    as_published: bool = False
    price_key: str = ""
    _waiting: dict[str, Series] = field(default_factory=dict, compare=False, repr=False)

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
        facts = [asdict(settings), asdict(constraints), self.at_once, max(1, self.again)]
        if self.as_published:
            facts.append("as published")
        return f"{self.source.identity}, {self.decoding} {content_key(*facts)[:16]}"

    def expect(self, questions: Iterable[NextQuestion]) -> None:
        """What will be asked, in this order, so that outputs are made together."""
        with _one_at_a_time:
            self._waiting.clear()
            for question in questions:
                try:
                    series = self._read_series(question)
                except base.BadRequest:
                    continue  # it is said to the one who asks
                known = self._waiting.get(series.key, series)
                if series.count >= known.count:
                    self._waiting[series.key] = series

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
        redraws also the number of the draw, as in "stop, draw 3", and "constraints, draw 4 of 100"
        if they are not met. seed None means 0. latency_s: of all outputs that were
        made together with this one. Raises BadRequest.
        """
        sampling = {"temperature": temperature, "max_tokens": max_tokens, "seed": seed}
        with _one_at_a_time:
            series = self._read_series(NextQuestion(messages, sampling, index))
            outputs = self.fill_outputs(series)
            places = list(range(len(outputs)))
            if self.again and self.decoding in ENFORCED:
                places.sort(key=lambda i: not outputs[i][0].met)
            completion, seconds = outputs[places[index]]
        reason = "stop" if completion.finished else "length"
        if self.again and completion.met:
            reason += f", draw {places[index] + 1}"
        elif self.again:
            reason = f"constraints, draw {places[index] + 1} of {len(outputs)}"
        request = series.request
        return Response(
            text=completion.text,
            finish_reason=reason,
            served_model=self.identify_outputs(request.settings, request.constraints),
            input_tokens=len(request.prompt_ids),
            output_tokens=len(completion.tokens),
            seed=completion.seed,
            truncated=not completion.finished,
            latency_s=round(seconds, 3),
            created=base.current_time(),
        )

    def _read_series(self, question: NextQuestion) -> Series:
        """The series that a question asks for, at least up to its index. Raises BadRequest."""
        from kit.systems.codeguard.decode import sampling

        prompt = prompt_of(question.messages)
        settings = self.settings
        temperature = question.sampling.get("temperature")
        max_tokens = question.sampling.get("max_tokens")
        seed = question.sampling.get("seed") or 0
        if temperature is not None and self.decoding != "nucleus":
            raise base.BadRequest(
                f"{self.decoding} has no temperature. Leave it out, or use nucleus."
            )
        if temperature is not None:
            settings = replace(settings, temperature=temperature)
        if max_tokens is not None:
            settings = replace(settings, max_new_tokens=max_tokens)
        constraints = self.constraints.get(prompt, Constraints())
        model, tokenizer = self.source.load()
        ids = tokenizer.encode(prompt, add_special_tokens=False)
        request = Request(model, tokenizer, ids, self.at_once, settings, seed, constraints)
        sampling.check_room(request)
        key = content_key(self.identify_outputs(settings, constraints), prompt, seed)
        return Series(key, request, question.index + 1)

    def fill_outputs(self, series: Series) -> Outputs:
        """The outputs of a series, at least as many as it asks for."""
        while self._count_runs(series):
            runs = self._choose_runs(series)
            start = time.monotonic()
            with use_threads(self.source.threads or 1):
                results = self._decode([request for _, request in runs])
            spent = time.monotonic() - start
            for (owner, request), completions in zip(runs, results, strict=True):
                for completion in completions:
                    if self.as_published:
                        met = request.constraints.are_met_as_published(completion.text)
                        completion = replace(completion, met=met)
                    owner.outputs.append((completion, spent))
        return series.outputs

    def _decode(self, requests: Sequence[Request]) -> list[list[Completion]]:
        from kit.systems.codeguard.decode import mucola, sampling

        if self.decoding == "mucola":
            return mucola.sample_together(requests)
        return sampling.write_together(list(map(sampling.WRITERS[self.decoding], requests)))

    def _count_runs(self, series: Series) -> int:
        """How many runs a series needs at least: each output may meet the constraints."""
        outputs = series.outputs
        missing = series.count - len(outputs)
        if self.decoding in ENFORCED:
            met = sum(completion.met for completion, _ in outputs)
            missing = max(missing, min(series.count - met, self.again - len(outputs)))
        return math.ceil(max(0, missing) / self.at_once)

    def _choose_runs(self, first: Series) -> list[tuple[Series, Request]]:
        """The next runs: of this series, and as many of those that wait as are made at once."""
        runs: list[tuple[Series, Request]] = []
        candidates = {first.key: first} | self._waiting
        for series in candidates.values():
            needed = self._count_runs(series)
            if not needed:
                self._waiting.pop(series.key, None)
            if series.request.settings == first.request.settings:
                for run in range(needed):
                    drawn = len(series.outputs) + run * self.at_once
                    seed = series.request.seed + drawn
                    runs.append((series, replace(series.request, seed=seed)))
            if len(runs) >= self.source.batch:
                break
        return runs[: self.source.batch]


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
