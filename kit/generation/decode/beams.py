"""Beam Sampling and Constrained Beam Sampling (CodeGuard+ section 4.3).

Both are one loop: without phrases nothing is blocked, nothing is forced and all candidates are of
one progress, so that constrained sampling without constraints is beam sampling.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import torch

from kit.errors import KitError
from kit.generation.decode import rows as rows_
from kit.generation.decode.nouns import Completion, Constraints, Settings
from kit.generation.decode.phrases import Progress, States, vocabulary


@dataclass(frozen=True)
class Beam:
    """The tokens so far, the row of its parent, log probability, states in the phrases."""

    tokens: tuple[int, ...]
    row: int
    score: float
    states: States
    ended: bool = False


def beam_sampling(
    model: Any,
    tokenizer: Any,
    prompt_ids: Sequence[int],
    *,
    n: int,
    settings: Settings,
    seed: int,
    constraints: Constraints | None = None,
) -> list[Completion]:
    """The n best of settings.beams sampled beams. Constraints are judged, not enforced.

    In each step twice as many continuations as beams are drawn without replacement, with
    probability proportional to that of the whole sequence, and the most likely ones go on.
    """
    best, steps = _search(model, tokenizer, prompt_ids, n, settings, seed, Constraints())
    return _told(tokenizer, prompt_ids, best, constraints or Constraints(), steps, seed)[:n]


def constrained_beam(
    model: Any,
    tokenizer: Any,
    prompt_ids: Sequence[int],
    *,
    n: int,
    settings: Settings,
    seed: int,
    constraints: Constraints,
) -> list[Completion]:
    """The n best of settings.beams beams, those that meet the constraints first.

    Added to beam sampling: a token that would complete a negative phrase is never drawn; every beam
    is also extended by the next token of each positive phrase that it lacks; beams are drawn and
    go on in turns over their degrees of progress; none may end while a phrase is missing.
    """
    best, steps = _search(model, tokenizer, prompt_ids, n, settings, seed, constraints)
    told = _told(tokenizer, prompt_ids, best, constraints, steps, seed)
    return sorted(told, key=lambda c: not c.met)[:n]


def _search(
    model: Any,
    tokenizer: Any,
    prompt_ids: Sequence[int],
    n: int,
    settings: Settings,
    seed: int,
    constraints: Constraints,
) -> tuple[list[Beam], int]:
    """(beams that ended or reached the limit, best first; steps of the model)."""
    if not 1 <= n <= settings.beams:
        raise KitError(f"Got n = {n} of {settings.beams} beams. Use 1 <= n <= beams.")
    rows_.check_room(model, prompt_ids, settings.max_new_tokens)
    words, stops = vocabulary(tokenizer), rows_.ends(model, tokenizer)
    progress = Progress(constraints, words, before=words.text(prompt_ids))
    draws = torch.Generator().manual_seed(seed)
    beams, done = [Beam((), 0, 0.0, progress.start)], []
    with torch.inference_mode():
        rows = rows_.Rows(model, prompt_ids)
        while True:
            found = _candidates(rows.log_probs, beams, progress, stops, draws, settings.beams)
            done += [b for b in stratified(found, progress, settings.beams) if b.ended]
            beams = stratified([b for b in found if not b.ended], progress, settings.beams)
            full = bool(beams) and len(beams[0].tokens) == settings.max_new_tokens
            if not beams or full or len(done) >= settings.beams:
                break
            rows.grow([b.row for b in beams], [b.tokens[-1] for b in beams])
    left = beams if len(done) < settings.beams else []

    def rank(beam: Beam) -> float:
        length = max(1, len(beam.tokens) + beam.ended)
        return -beam.score / math.pow(length, settings.length_penalty)

    return sorted(done + left, key=rank), rows.steps


def _candidates(
    log_probs: torch.Tensor,
    beams: Sequence[Beam],
    progress: Progress,
    stops: frozenset[int],
    draws: torch.Generator,
    most: int,
) -> list[Beam]:
    """Sampled and forced continuations of the beams, the most likely first."""
    scores = torch.tensor([b.score for b in beams], device=log_probs.device)
    totals = log_probs + scores.unsqueeze(1)
    for row, beam in enumerate(beams):
        for tokens in progress.blocked(beam.states):
            totals[row, torch.from_numpy(tokens)] = -torch.inf
        if progress.left(beam.states):
            totals[row, list(stops)] = -torch.inf
    chosen = _drawn(totals, [progress.left(b.states) for b in beams], 2 * most, draws)
    forced = ((r, t) for r, b in enumerate(beams) for t in progress.forced(b.states))
    chosen = list(dict.fromkeys([*chosen, *forced]))
    where = torch.tensor(chosen, device=totals.device).reshape(-1, 2)
    reached = totals[where[:, 0], where[:, 1]].tolist()
    found = [
        _extended(beams[row], row, token, score, progress, token in stops)
        for (row, token), score in zip(chosen, reached, strict=True)
        if score > -torch.inf
    ]
    return sorted(found, key=lambda b: -b.score)


def _extended(
    beam: Beam, row: int, token: int, score: float, progress: Progress, ended: bool
) -> Beam:
    if ended:
        return Beam(beam.tokens, row, score, beam.states, ended)
    return Beam((*beam.tokens, token), row, score, progress.after(beam.states, token))


def _drawn(
    totals: torch.Tensor, degrees: Sequence[int], most: int, draws: torch.Generator
) -> list[tuple[int, int]]:
    """(row, token) pairs drawn without replacement with probability exp(totals), normalised.

    The largest of log probability plus Gumbel noise (Kool et al. 2019): nothing underflows. Each
    degree of progress has its equal share of `most`, or else beams made unlikely by a forced phrase
    would never be drawn again.
    """
    noise = torch.empty(totals.shape).exponential_(generator=draws).log_()
    keys, width = totals - noise.to(totals.device), totals.shape[1]
    groups: dict[int, list[int]] = {}
    for row, degree in enumerate(degrees):
        groups.setdefault(degree, []).append(row)
    share, found = max(2, most // len(groups)), []
    for held in groups.values():
        group = (keys if len(groups) == 1 else keys[held]).flatten()
        best, places = group.topk(min(share, group.numel()))
        drawn = places[best > -torch.inf].tolist()
        found += [(held[p // width], p % width) for p in drawn]
    return found


def stratified(candidates: Sequence[Beam], progress: Progress, most: int) -> list[Beam]:
    """At most `most` candidates: the best of each degree of progress, then the second of each...

    candidates: the most likely first. Degrees: tokens still missing, fewest first.
    """
    degrees: dict[int, list[Beam]] = {}
    for beam in candidates:
        degrees.setdefault(progress.left(beam.states), []).append(beam)
    turns = zip_longest(*(degrees[left] for left in sorted(degrees)))
    return [beam for turn in turns for beam in turn if beam is not None][:most]


def _told(
    tokenizer: Any,
    prompt_ids: Sequence[int],
    beams: Sequence[Beam],
    constraints: Constraints,
    steps: int,
    seed: int,
) -> list[Completion]:
    return [
        rows_.completion(
            tokenizer, prompt_ids, beam.tokens, constraints, log_probability=beam.score,
            finished=beam.ended, steps=steps, seed=seed,
        )
        for beam in beams
    ]  # fmt: skip
