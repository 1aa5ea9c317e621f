"""Nucleus, Beam and Constrained Beam Sampling of completions, token by token.

Beam and Constrained Beam Sampling (CodeGuard+ section 4.3) share one loop. Without phrases no token
is blocked or forced, and all candidates have the same degree of progress, so constrained sampling
without constraints is beam sampling.
"""

import math
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import Any

import torch

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
    """Encodes the prompt once, as one row; each step feeds one new token per row.

    log_probs: [rows, vocabulary], of the next token. Use it inside torch.inference_mode().
    """

    def __init__(self, model: Any, prompt_ids: Sequence[int]) -> None:
        self.model = model
        self.count = 1
        self.steps = 0
        self._feed_tokens(torch.tensor([list(prompt_ids)], device=model.device))

    def grow(self, parents: Sequence[int], tokens: Sequence[int]) -> None:
        """Row i becomes row parents[i] followed by tokens[i]; rows may be copied or dropped."""
        device = self.model.device
        if list(parents) != list(range(self.count)):
            self.cache.reorder_cache(torch.tensor(parents, device=device))
        self.count = len(parents)
        self._feed_tokens(
            torch.tensor(tokens, device=device).unsqueeze(1), past_key_values=self.cache
        )

    def _feed_tokens(self, ids: torch.Tensor, **cached: Any) -> None:
        output = self.model(ids, use_cache=True, **cached)
        self.cache = output.past_key_values
        self.steps += 1
        self.log_probs: torch.Tensor = output.logits[:, -1].float().log_softmax(dim=-1)


@contextmanager
def on_one_thread() -> Iterator[None]:
    """Inside this block torch uses one thread."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


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


@dataclass
class SampledText:
    """What nucleus sampling has drawn for one seed."""

    seed: int
    draws: torch.Generator
    tokens: list[int] = field(default_factory=list)
    score: float = 0.0
    finished: bool = False


def nucleus(request: Request) -> list[Completion]:
    """n completions; each token is drawn from the smallest token set with probability >= top_p.

    Holtzman et al. 2020; CodeGuard+ eq. 9. Row i has its own generator, seeded with seed + i.
    """
    settings = request.settings
    stops = find_end_tokens(request.model, request.tokenizer)
    texts = []
    for seed in range(request.seed, request.seed + request.n):
        texts.append(SampledText(seed, torch.Generator().manual_seed(seed)))
    running = texts
    with torch.inference_mode():
        rows = KVCacheBatch(request.model, request.prompt_ids)
        for _ in range(settings.max_new_tokens):
            nuclei = truncate_to_nucleus(rows.log_probs / settings.temperature, settings.top_p)
            going_on = []
            parents = []
            drawn = []
            for place, text in enumerate(running):
                row = 0 if rows.count == 1 else place  # at first all share the prompt's row
                token = int(torch.multinomial(nuclei[row].cpu(), 1, generator=text.draws))
                text.score += float(rows.log_probs[row, token])
                if token not in stops:
                    text.tokens.append(token)
                text.finished = token in stops or _find_stop(request, text.tokens) is not None
                if not text.finished:
                    going_on.append(text)
                    parents.append(row)
                    drawn.append(token)
            running = going_on
            if not running or len(running[0].tokens) == settings.max_new_tokens:
                break
            rows.grow(parents, drawn)
    return [
        completion(
            request,
            text.tokens,
            log_probability=text.score,
            finished=text.finished,
            steps=rows.steps,
            seed=text.seed,
        )
        for text in texts
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


def beam_sampling(request: Request) -> list[Completion]:
    """The n best of settings.beams sampled beams.

    Each step draws twice as many continuations as beams without replacement, with probability
    proportional to that of the whole sequence, and keeps the most likely ones.
    """
    return _search_beams(request, Constraints())[: request.n]


def constrained_beam(request: Request) -> list[Completion]:
    """The n best of settings.beams beams, those that meet the constraints first.

    In addition to beam sampling: a token that would complete a negative phrase is never drawn;
    every beam is also extended by the next token of each missing positive phrase; beams are drawn
    and kept in turn from each degree of progress; no beam may end while a phrase is missing.
    """
    return sorted(_search_beams(request, request.constraints), key=lambda c: not c.met)[: request.n]


def _search_beams(request: Request, enforced: Constraints) -> list[Completion]:
    """The beams that ended or reached the limit, best first."""
    settings = request.settings
    words = read_vocabulary(request.tokenizer)
    stops = find_end_tokens(request.model, request.tokenizer)
    progress = Progress(enforced, words, before=words.text(request.prompt_ids))
    draws = torch.Generator().manual_seed(request.seed)
    beams = [Beam((), 0, 0.0, progress.start)]
    done: list[Beam] = []
    with torch.inference_mode():
        rows = KVCacheBatch(request.model, request.prompt_ids)
        while True:
            candidates = _extend_beams(request, rows.log_probs, beams, progress, stops, draws)
            best = choose_by_progress(candidates, progress, settings.beams)
            done += [beam for beam in best if beam.ended]
            running = [beam for beam in candidates if not beam.ended]
            beams = choose_by_progress(running, progress, settings.beams)
            full = bool(beams) and len(beams[0].tokens) == settings.max_new_tokens
            if not beams or full or len(done) >= settings.beams:
                break
            rows.grow([beam.row for beam in beams], [beam.tokens[-1] for beam in beams])
    if len(done) < settings.beams:
        done += beams

    def rank_beam(beam: Beam) -> float:
        length = max(1, len(beam.tokens) + beam.ended)
        return -beam.score / math.pow(length, settings.length_penalty)

    return [
        completion(
            request,
            beam.tokens,
            log_probability=beam.score,
            finished=beam.ended,
            steps=rows.steps,
            seed=request.seed,
        )
        for beam in sorted(done, key=rank_beam)
    ]


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
