"""Nucleus, Beam and Constrained Beam Sampling of completions, token by token.

Beam and Constrained Beam Sampling (CodeGuard+ section 4.3) share one loop. Without phrases no token
is blocked or forced, and all candidates have the same degree of progress, so constrained sampling
without constraints is beam sampling.
"""

import inspect
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import Any

import torch

from kit.core.errors import KitError
from kit.generation.base import BadRequest
from kit.systems.codeguard.decode.request import (
    Completion,
    Constraints,
    Progress,
    Request,
    States,
    read_vocabulary,
)


class KVCacheBatch:
    """Encodes each prompt once, as one row; each step feeds one new token per row.

    Shorter prompts are padded on the left: no row sees its padding, and its positions count from
    its own first token. So a row is what it is alone, up to the rounding of sums.
    log_probs: [rows, vocabulary], of the next token. Use it inside torch.inference_mode().
    """

    def __init__(self, model: Any, prompts: Sequence[Sequence[int]]) -> None:
        self.model = model
        self.count = len(prompts)
        ids, self.mask = pad_left(model, prompts)
        self._feed_tokens(ids)

    def grow(self, parents: Sequence[int], tokens: Sequence[int]) -> None:
        """Row i becomes row parents[i] followed by tokens[i]; rows may be copied or dropped."""
        device = self.model.device
        if list(parents) != list(range(self.count)):
            order = torch.tensor(parents, device=device)
            self.cache.reorder_cache(order)
            self.mask = self.mask[order]
        self.count = len(parents)
        self.mask = torch.cat([self.mask, self.mask.new_ones(self.count, 1)], dim=1)
        self._feed_tokens(
            torch.tensor(tokens, device=device).unsqueeze(1), past_key_values=self.cache
        )

    def _feed_tokens(self, ids: torch.Tensor, **cached: Any) -> None:
        padding = describe_padding(self.model, self.mask, ids.shape[1])
        output = self.model(ids, use_cache=True, **padding, **cached)
        self.cache = output.past_key_values
        self.log_probs: torch.Tensor = output.logits[:, -1].float().log_softmax(dim=-1)


def pad_left(model: Any, prompts: Sequence[Sequence[int]]) -> tuple[torch.Tensor, torch.Tensor]:
    """The ids of the prompts, [prompts, longest], and their mask: 0 where a row is padded."""
    longest = max(map(len, prompts))
    ids = torch.zeros(len(prompts), longest, dtype=torch.long)
    mask = torch.zeros_like(ids)
    for row, prompt in enumerate(prompts):
        ids[row, longest - len(prompt) :] = torch.tensor(prompt)
        mask[row, longest - len(prompt) :] = 1
    return ids.to(model.device), mask.to(model.device)


def describe_padding(model: Any, mask: torch.Tensor, fresh: int) -> dict[str, torch.Tensor]:
    """What a model is told of padded rows; nothing if no row is padded.

    mask: [rows, length], of all tokens so far; the last `fresh` ones are fed now.
    """
    if bool(mask.all()):
        return {}
    accepted = inspect.signature(model.forward).parameters
    if "attention_mask" not in accepted:
        raise KitError(
            f"{type(model).__name__} cannot read prompts of different lengths together. "
            "Leave batch= out."
        )
    padding = {"attention_mask": mask}
    if "position_ids" in accepted:  # others, such as Bloom, read positions from the mask
        padding["position_ids"] = (mask.cumsum(dim=1) - 1).clamp(min=0)[:, -fresh:]
    return padding


def find_end_tokens(model: Any, tokenizer: Any) -> frozenset[int]:
    """The tokens that end a text, by the model's own settings and the tokenizer's."""
    declared = model.generation_config.eos_token_id
    tokens = set(declared) if isinstance(declared, list) else {declared}
    tokens.add(tokenizer.eos_token_id)
    return frozenset(tokens - {None})


def check_room(request: Request) -> None:
    """BadRequest if the prompt is empty, or prompt + completion exceed the model's context."""
    most = getattr(request.model.config, "max_position_embeddings", None)
    asked = len(request.prompt_ids)
    new = request.settings.max_new_tokens
    if not asked:
        raise BadRequest("The prompt has no tokens. Give a text to be completed.")
    if most is not None and asked + new > most:
        raise BadRequest(
            f"The prompt has {asked} tokens and {new} new ones are asked for; the model reads at "
            f"most {most}. Shorten the prompt or lower max_new_tokens."
        )


def completion(request: Request, tokens: Sequence[int], **facts: Any) -> Completion:
    """The Completion of these tokens; constraints are checked in its text up to settings.stop."""
    words = read_vocabulary(request.tokenizer)
    text = words.text(tokens)[: _find_stop(request, tokens)]
    met = request.constraints.are_met(text, prompt=words.text(request.prompt_ids))
    return Completion(tuple(tokens), text, met=met, **facts)


def _find_stop(request: Request, tokens: Sequence[int]) -> int | None:
    """Offset of the first match of settings.stop in the tokens' text, or None."""
    if not request.settings.stop:
        return None
    text = read_vocabulary(request.tokenizer).text(tokens)
    match = re.search(request.settings.stop, text)
    return match.start() if match else None


@dataclass(frozen=True)
class Move:
    """A token that follows a row."""

    row: int
    token: int


@dataclass
class SampledText:
    """What nucleus sampling has drawn for one seed."""

    seed: int
    draws: torch.Generator
    tokens: list[int] = field(default_factory=list)
    score: float = 0.0
    finished: bool = False


class Writer(ABC):
    """Writes the completions of one request, a token at a time, from the model's scores.

    steps: how often it was asked, which is how often the model was.
    """

    def __init__(self, request: Request) -> None:
        self.request = request
        self.stops = find_end_tokens(request.model, request.tokenizer)
        self.steps = 0

    @abstractmethod
    def write_tokens(self, log_probs: torch.Tensor) -> list[Move]:
        """The rows that go on; none if all is written. log_probs: [its rows, vocabulary]."""

    @abstractmethod
    def list_completions(self) -> list[Completion]: ...


def write_together(writers: Sequence[Writer]) -> list[list[Completion]]:
    """The completions of each writer. Their requests are for one model, which reads all at once."""
    running = list(writers)
    prompts = [writer.request.prompt_ids for writer in writers]
    counts = [1] * len(writers)  # of rows: at first all texts of a prompt share its row
    with torch.inference_mode():
        rows = KVCacheBatch(writers[0].request.model, prompts)
        while running:
            parents: list[int] = []
            tokens: list[int] = []
            going_on: list[Writer] = []
            new_counts: list[int] = []
            first = 0
            for writer, count in zip(running, counts, strict=True):
                writer.steps += 1
                moves = writer.write_tokens(rows.log_probs[first : first + count])
                if moves:
                    going_on.append(writer)
                    new_counts.append(len(moves))
                for move in moves:
                    parents.append(first + move.row)
                    tokens.append(move.token)
                first += count
            running = going_on
            counts = new_counts
            if running:
                rows.grow(parents, tokens)
    return [writer.list_completions() for writer in writers]


class NucleusWriter(Writer):
    """n texts; each token is drawn from the smallest token set with probability >= top_p.

    Holtzman et al. 2020; CodeGuard+ eq. 9. Text i has its own generator, seeded with seed + i.
    """

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self.texts: list[SampledText] = []
        for seed in range(request.seed, request.seed + request.n):
            self.texts.append(SampledText(seed, torch.Generator().manual_seed(seed)))
        self.running = self.texts

    def write_tokens(self, log_probs: torch.Tensor) -> list[Move]:
        """Draw a token for each text that is not finished."""
        settings = self.request.settings
        log_probs = log_probs.cpu()
        nuclei = truncate_to_nucleus(log_probs / settings.temperature, settings.top_p)
        going_on = []
        moves = []
        for place, text in enumerate(self.running):
            row = 0 if len(log_probs) == 1 else place
            token = int(torch.multinomial(nuclei[row], 1, generator=text.draws))
            text.score += float(log_probs[row, token])
            if token not in self.stops:
                text.tokens.append(token)
            is_cut = _find_stop(self.request, text.tokens) is not None
            text.finished = token in self.stops or is_cut
            if not text.finished and len(text.tokens) < settings.max_new_tokens:
                going_on.append(text)
                moves.append(Move(row, token))
        self.running = going_on
        return moves

    def list_completions(self) -> list[Completion]:
        return [
            completion(
                self.request,
                text.tokens,
                log_probability=text.score,
                finished=text.finished,
                steps=self.steps,
                seed=text.seed,
            )
            for text in self.texts
        ]


def truncate_to_nucleus(logits: torch.Tensor, top_p: float) -> torch.Tensor:
    """Probabilities [rows, vocabulary]: 0 outside the nucleus, and their sum is 1."""
    probs, order = logits.softmax(dim=-1).sort(dim=-1, descending=True, stable=True)
    before = probs.cumsum(dim=-1) - probs
    probs = probs.masked_fill(before >= top_p, 0.0)
    nucleus_probs = torch.zeros_like(probs).scatter_(-1, order, probs)
    return nucleus_probs / nucleus_probs.sum(dim=-1, keepdim=True)


@dataclass(frozen=True)
class Beam:
    """The tokens so far, the row of its parent, log probability, states in the phrases."""

    tokens: tuple[int, ...]
    row: int
    score: float
    states: States
    ended: bool = False


class BeamWriter(Writer):
    """Beams, of which each step keeps the most likely of those that it draws.

    Each step draws twice as many continuations as beams without replacement, with probability
    proportional to that of the whole sequence.
    """

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        words = read_vocabulary(request.tokenizer)
        before = words.text(request.prompt_ids)
        self.progress = Progress(self._select_enforced(), words, before=before)
        self.draws = torch.Generator().manual_seed(request.seed)
        self.beams = [Beam((), 0, 0.0, self.progress.start)]
        self.done: list[Beam] = []  # that ended, or in the end reached the limit

    def _select_enforced(self) -> Constraints:
        return Constraints()

    def write_tokens(self, log_probs: torch.Tensor) -> list[Move]:
        """Extend the beams by a token, and keep settings.beams of them."""
        settings = self.request.settings
        candidates = _extend_beams(
            self.request, log_probs, self.beams, self.progress, self.stops, self.draws
        )
        best = choose_by_progress(candidates, self.progress, settings.beams)
        self.done += [beam for beam in best if beam.ended]
        running = [beam for beam in candidates if not beam.ended]
        beams = choose_by_progress(running, self.progress, settings.beams)
        self.beams = beams
        if len(self.done) >= settings.beams:
            return []
        if beams and len(beams[0].tokens) == settings.max_new_tokens:
            self.done += beams
            return []
        return [Move(beam.row, beam.tokens[-1]) for beam in beams]

    def list_completions(self) -> list[Completion]:
        """The n best."""
        return self.rank_completions()[: self.request.n]

    def rank_completions(self) -> list[Completion]:
        """Of every beam, the best first."""
        return [
            completion(
                self.request,
                beam.tokens,
                log_probability=beam.score,
                finished=beam.ended,
                steps=self.steps,
                seed=self.request.seed,
            )
            for beam in sorted(self.done, key=self._rank_beam)
        ]

    def _rank_beam(self, beam: Beam) -> float:
        length = max(1, len(beam.tokens) + beam.ended)
        return -beam.score / math.pow(length, self.request.settings.length_penalty)


class ConstrainedWriter(BeamWriter):
    """Beams that are led to the constraints; of its completions, those that meet them come first.

    In addition to beam sampling: a token that would complete a negative phrase is never drawn;
    every beam is also extended by the next token of each missing positive phrase; beams are drawn
    and kept in turn from each degree of progress; no beam may end while a phrase is missing.
    """

    def _select_enforced(self) -> Constraints:
        return self.request.constraints

    def rank_completions(self) -> list[Completion]:
        return sorted(super().rank_completions(), key=lambda c: not c.met)


WRITERS: dict[str, Callable[[Request], Writer]] = {
    "nucleus": NucleusWriter,
    "beam": BeamWriter,
    "constrained": ConstrainedWriter,
}


def write_alone(decoding: str, request: Request) -> list[Completion]:
    """The n completions of one request, by a name of WRITERS."""
    return write_together([WRITERS[decoding](request)])[0]


def _extend_beams(
    request: Request,
    log_probs: torch.Tensor,
    beams: Sequence[Beam],
    progress: Progress,
    stops: frozenset[int],
    draws: torch.Generator,
) -> list[Beam]:
    """Sampled and forced continuations of the beams, the most likely first."""
    scores = torch.tensor([beam.score for beam in beams], device=log_probs.device)
    totals = log_probs + scores.unsqueeze(1)
    degrees = [progress.left(beam.states) for beam in beams]
    forced: list[tuple[int, int]] = []
    for row, beam in enumerate(beams):
        for tokens in progress.find_blocked_tokens(beam.states):
            totals[row, torch.from_numpy(tokens)] = -torch.inf
        if degrees[row]:
            totals[row, list(stops)] = -torch.inf
        forced += [(row, token) for token in progress.find_forced_tokens(beam.states)]
    drawn = _draw_tokens(totals, degrees, 2 * request.settings.beams, draws)
    chosen = list(dict.fromkeys([*drawn, *forced]))
    places = torch.tensor(chosen, device=totals.device).reshape(-1, 2)
    reached = totals[places[:, 0], places[:, 1]].tolist()
    extended = []
    for (row, token), score in zip(chosen, reached, strict=True):
        beam = beams[row]
        if score > -torch.inf and token in stops:
            extended.append(replace(beam, row=row, score=score, ended=True))
        elif score > -torch.inf:
            states = progress.after(beam.states, token)
            extended.append(Beam((*beam.tokens, token), row, score, states))
    if request.settings.stop:
        extended = _end_at_stop(request, extended, progress) or extended
    return sorted(extended, key=lambda beam: -beam.score)


def _end_at_stop(request: Request, beams: Sequence[Beam], progress: Progress) -> list[Beam]:
    """The beams, ended where settings.stop matches; those that lack a phrase there are left out."""
    remaining = []
    for beam in beams:
        if _find_stop(request, beam.tokens) is None:
            remaining.append(beam)
        elif not progress.left(beam.states):
            remaining.append(replace(beam, ended=True))
    return remaining


def _draw_tokens(
    totals: torch.Tensor, degrees: Sequence[int], most: int, draws: torch.Generator
) -> list[tuple[int, int]]:
    """(row, token) pairs drawn without replacement with probability exp(totals), normalised.

    Takes the largest log probability plus Gumbel noise (Kool et al. 2019), so nothing underflows.
    Each degree of progress gets an equal share of `most`; otherwise beams that a forced phrase made
    unlikely would never be drawn again.
    """
    noise = torch.empty(totals.shape).exponential_(generator=draws).log_()
    keys = totals - noise.to(totals.device)
    width = totals.shape[1]
    groups: dict[int, list[int]] = {}
    for row, degree in enumerate(degrees):
        groups.setdefault(degree, []).append(row)
    share = max(2, most // len(groups))
    drawn: list[tuple[int, int]] = []
    for members in groups.values():
        group = (keys if len(groups) == 1 else keys[members]).flatten()
        best, places = group.topk(min(share, group.numel()))
        possible = places[best > -torch.inf].tolist()
        drawn += [(members[place // width], place % width) for place in possible]
    return drawn


def choose_by_progress(candidates: Sequence[Beam], progress: Progress, most: int) -> list[Beam]:
    """At most `most` candidates: the best of each degree of progress, then the second of each...

    candidates: the most likely first. Degrees: tokens still missing, fewest first.
    """
    degrees: dict[int, list[Beam]] = {}
    for beam in candidates:
        degrees.setdefault(progress.left(beam.states), []).append(beam)
    in_turn: list[Beam] = []
    for turn in zip_longest(*(degrees[degree] for degree in sorted(degrees))):
        in_turn += filter(None, turn)
    return in_turn[:most]
