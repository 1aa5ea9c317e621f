"""Nucleus, Beam and Constrained Beam Sampling of completions, token by token.

Beam and Constrained Beam Sampling (CodeGuard+ section 4.3) share one loop. Without phrases no token
is blocked or forced, and all candidates have the same degree of progress, so constrained sampling
without constraints is beam sampling.
"""

import math
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
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
        self.model, self.count, self.steps = model, 1, 0
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
        out = self.model(ids, use_cache=True, **cached)
        self.cache, self.steps = out.past_key_values, self.steps + 1
        self.log_probs: torch.Tensor = out.logits[:, -1].float().log_softmax(dim=-1)


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
    listed = declared if isinstance(declared, list) else [declared]
    return frozenset(i for i in (*listed, tokenizer.eos_token_id) if i is not None)


def check_room(request: Request) -> None:
    """BadRequest if the prompt is empty, or prompt + completion exceed the model's context."""
    most = getattr(request.model.config, "max_position_embeddings", None)
    asked, new = len(request.prompt_ids), request.settings.max_new_tokens
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
    text = words.text(tokens)
    text = text[: _find_stop(request, tokens)]
    met = request.constraints.are_met(text, prompt=words.text(request.prompt_ids))
    return Completion(tuple(tokens), text, met=met, **facts)


def _find_stop(request: Request, tokens: Sequence[int]) -> int | None:
    """Offset of the first match of settings.stop in the tokens' text, or None."""
    match = request.settings.stop and re.search(
        request.settings.stop, read_vocabulary(request.tokenizer).text(tokens)
    )
    return match.start() if match else None


def nucleus(request: Request) -> list[Completion]:
    """n completions; each token is drawn from the smallest token set with probability >= top_p.

    Holtzman et al. 2020; CodeGuard+ eq. 9. Row i has its own generator, seeded with seed + i.
    """
    n, settings, seed = request.n, request.settings, request.seed
    stops = find_end_tokens(request.model, request.tokenizer)
    draws = [torch.Generator().manual_seed(seed + i) for i in range(n)]
    tokens: list[list[int]] = [[] for _ in range(n)]
    scores, finished, alive = [0.0] * n, [False] * n, list(range(n))
    with torch.inference_mode():
        rows = KVCacheBatch(request.model, request.prompt_ids)
        for _ in range(settings.max_new_tokens):
            kept = truncate_to_nucleus(rows.log_probs / settings.temperature, settings.top_p)
            running, drawn = list(alive), []
            for place, i in enumerate(running):
                row = 0 if rows.count == 1 else place  # at first all share the prompt's row
                token = int(torch.multinomial(kept[row].cpu(), 1, generator=draws[i]))
                scores[i] += float(rows.log_probs[row, token])
                drawn.append(token)
                tokens[i] += [] if token in stops else [token]
                finished[i] = token in stops or _find_stop(request, tokens[i]) is not None
            alive = [i for i in running if not finished[i]]
            if not alive or len(tokens[alive[0]]) == settings.max_new_tokens:
                break
            places = [place for place, i in enumerate(running) if not finished[i]]
            origin = [0] * len(places) if rows.count == 1 else places
            rows.grow(origin, [drawn[place] for place in places])
    return [
        completion(
            request,
            tokens[i],
            log_probability=scores[i],
            finished=finished[i],
            steps=rows.steps,
            seed=seed + i,
        )
        for i in range(n)
    ]


def truncate_to_nucleus(logits: torch.Tensor, top_p: float) -> torch.Tensor:
    """Probabilities [rows, vocabulary]: 0 outside the nucleus, and their sum is 1."""
    probs, order = logits.softmax(dim=-1).sort(dim=-1, descending=True, stable=True)
    before = probs.cumsum(dim=-1) - probs
    probs = probs.masked_fill(before >= top_p, 0.0)
    kept = torch.zeros_like(probs).scatter_(-1, order, probs)
    return kept / kept.sum(dim=-1, keepdim=True)


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
    settings, words = request.settings, read_vocabulary(request.tokenizer)
    stops = find_end_tokens(request.model, request.tokenizer)
    progress = Progress(enforced, words, before=words.text(request.prompt_ids))
    draws = torch.Generator().manual_seed(request.seed)
    beams, done = [Beam((), 0, 0.0, progress.start)], []
    with torch.inference_mode():
        rows = KVCacheBatch(request.model, request.prompt_ids)
        while True:
            candidates = _extend_beams(request, rows.log_probs, beams, progress, stops, draws)
            done += [b for b in choose_by_progress(candidates, progress, settings.beams) if b.ended]
            beams = choose_by_progress(
                [b for b in candidates if not b.ended], progress, settings.beams
            )
            full = bool(beams) and len(beams[0].tokens) == settings.max_new_tokens
            if not beams or full or len(done) >= settings.beams:
                break
            rows.grow([b.row for b in beams], [b.tokens[-1] for b in beams])
    left = beams if len(done) < settings.beams else []

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
        for beam in sorted(done + left, key=rank_beam)
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
    scores = torch.tensor([b.score for b in beams], device=log_probs.device)
    totals = log_probs + scores.unsqueeze(1)
    for row, beam in enumerate(beams):
        for tokens in progress.find_blocked_tokens(beam.states):
            totals[row, torch.from_numpy(tokens)] = -torch.inf
        if progress.left(beam.states):
            totals[row, list(stops)] = -torch.inf
    most = 2 * request.settings.beams
    chosen = _draw_tokens(totals, [progress.left(b.states) for b in beams], most, draws)
    forced = ((r, t) for r, b in enumerate(beams) for t in progress.find_forced_tokens(b.states))
    chosen = list(dict.fromkeys([*chosen, *forced]))
    where = torch.tensor(chosen, device=totals.device).reshape(-1, 2)
    reached = totals[where[:, 0], where[:, 1]].tolist()
    extended = [
        replace(beams[row], row=row, score=score, ended=True)
        if token in stops
        else Beam((*beams[row].tokens, token), row, score, progress.after(beams[row].states, token))
        for (row, token), score in zip(chosen, reached, strict=True)
        if score > -torch.inf
    ]
    if request.settings.stop:
        over = [_find_stop(request, b.tokens) is not None for b in extended]
        extended = [
            replace(b, ended=b.ended or end)
            for b, end in zip(extended, over, strict=True)
            if not end or not progress.left(b.states)
        ] or extended
    return sorted(extended, key=lambda b: -b.score)


def _draw_tokens(
    totals: torch.Tensor, degrees: Sequence[int], most: int, draws: torch.Generator
) -> list[tuple[int, int]]:
    """(row, token) pairs drawn without replacement with probability exp(totals), normalised.

    Takes the largest log probability plus Gumbel noise (Kool et al. 2019), so nothing underflows.
    Each degree of progress gets an equal share of `most`; otherwise beams that a forced phrase made
    unlikely would never be drawn again.
    """
    noise = torch.empty(totals.shape).exponential_(generator=draws).log_()
    keys, width = totals - noise.to(totals.device), totals.shape[1]
    groups: dict[int, list[int]] = {}
    for row, degree in enumerate(degrees):
        groups.setdefault(degree, []).append(row)
    share, picked = max(2, most // len(groups)), []
    for members in groups.values():
        group = (keys if len(groups) == 1 else keys[members]).flatten()
        best, places = group.topk(min(share, group.numel()))
        drawn = places[best > -torch.inf].tolist()
        picked += [(members[p // width], p % width) for p in drawn]
    return picked


def choose_by_progress(candidates: Sequence[Beam], progress: Progress, most: int) -> list[Beam]:
    """At most `most` candidates: the best of each degree of progress, then the second of each...

    candidates: the most likely first. Degrees: tokens still missing, fewest first.
    """
    degrees: dict[int, list[Beam]] = {}
    for beam in candidates:
        degrees.setdefault(progress.left(beam.states), []).append(beam)
    turns = zip_longest(*(degrees[left] for left in sorted(degrees)))
    return [beam for turn in turns for beam in turn if beam is not None][:most]
