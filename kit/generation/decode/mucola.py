"""MuCoLA (Kumar et al. 2022) with key phrases (CodeGuard+ section 4.4, appendices B, C, E).

All tokens of a completion are sampled together: Langevin steps on their embeddings down the
gradient of an energy, each followed by projection to the embedding table, while a multiplier for
every unmet phrase rises. Its length is fixed; special tokens are not projected to.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from kit.generation.decode import rows as rows_
from kit.generation.decode.energy import Energy
from kit.generation.decode.nouns import Completion, Constraints, Settings
from kit.generation.decode.nucleus import nucleus
from kit.generation.decode.phrases import vocabulary


@dataclass(frozen=True)
class State:
    """One iteration: ids [rows, length], before it; nll, energy [rows]; margins, multipliers."""

    step: int
    ids: torch.Tensor
    nll: torch.Tensor
    energy: torch.Tensor
    margins: torch.Tensor
    multipliers: torch.Tensor
    rate: torch.Tensor  # eta of each row


def mucola(
    model: Any,
    tokenizer: Any,
    prompt_ids: Sequence[int],
    *,
    n: int,
    settings: Settings,
    seed: int,
    constraints: Constraints,
) -> list[Completion]:
    """n completions of max_new_tokens tokens: of each row's iterations the likeliest that meets
    the constraints, else the likeliest. Negative phrases are penalised, not impossible."""
    return sample(
        model, tokenizer, prompt_ids, n=n, settings=settings, seed=seed, constraints=constraints
    )[0]


def sample(
    model: Any,
    tokenizer: Any,
    prompt_ids: Sequence[int],
    *,
    n: int,
    settings: Settings,
    seed: int,
    constraints: Constraints,
) -> tuple[list[Completion], list[dict[str, Any]]]:
    """(what `mucola` gives, the trace): a dict for every iteration, row and phrase.

    Keys of the trace: step, row, energy, nll, rate; met: by the text; and of each phrase (one dict
    with phrase "" where there is none) phrase, margin (met from 0 on), multiplier.
    """
    energy = Energy(model, tokenizer, prompt_ids, constraints, settings)
    best: list[Completion | None] = [None] * n
    found_at, trace = [0] * n, []
    allowed = _allowed(energy, tokenizer)
    start = _start(model, tokenizer, prompt_ids, n, settings, seed, allowed)
    for state in langevin(energy, allowed, start, seed):
        for row in range(n):
            made = rows_.completion(
                tokenizer, prompt_ids, state.ids[row].tolist(), constraints,
                log_probability=-float(state.nll[row]), finished=False, steps=state.step + 1,
                seed=seed,
            )  # fmt: skip
            trace += _told(state, row, constraints, made.met)
            held = best[row]
            if held is None or _rank(made) > _rank(held):
                best[row], found_at[row] = made, state.step
        waited = (state.step - at >= settings.patience for at in found_at)
        if all(waited) and all(made is not None and made.met for made in best):
            break
    return [made for made in best if made is not None], trace


def langevin(
    energy: Energy, allowed: torch.Tensor, start: torch.Tensor, seed: int
) -> Iterator[State]:
    """e <- project(e - eta grad E + noise); multipliers <- max(0, multipliers + alpha dE/dlambda).

    Equation 14. start: ids [rows, length]. eta grows in a row as long as none of its tokens moves
    and falls back to its least value when one does; the noise falls linearly to 0.
    """
    s, draws = energy.settings, torch.Generator().manual_seed(seed)
    ids = start
    multipliers = energy.table.new_zeros(len(ids), len(energy.phrases))
    rate = energy.table.new_full((len(ids),), s.learning_rate)
    for step in range(s.iterations):
        e = energy.table[ids].requires_grad_()
        nll, margins = energy.nll(e), energy.margins(e, draws)
        value = nll - (multipliers * margins).sum(dim=1)
        (grad,) = torch.autograd.grad(value.sum(), e)
        margins = margins.detach()
        yield State(step, ids, nll.detach(), value.detach(), margins, multipliers, rate)
        with torch.no_grad():
            noise = torch.randn(e.shape, generator=draws).to(e) * s.noise
            there = e - rate[:, None, None] * grad + noise * (1 - step / s.iterations)
            moved = energy.project(there, allowed)
        still = (moved == ids).all(dim=1)
        rate = torch.where(still, rate + s.learning_rate_step, s.learning_rate)
        multipliers = (multipliers - s.multiplier_rate * margins).clamp(min=0)
        ids = moved


def _start(
    model: Any,
    tokenizer: Any,
    prompt_ids: Sequence[int],
    n: int,
    settings: Settings,
    seed: int,
    allowed: torch.Tensor,
) -> torch.Tensor:
    """Ids [n, length]: a nucleus sample each, newlines behind its end; or evenly drawn tokens."""
    shape = (n, settings.max_new_tokens)
    if settings.start == "random":
        choice = (allowed == 0).nonzero()[:, 0]
        drawn = torch.randint(len(choice), shape, generator=torch.Generator().manual_seed(seed))
        return choice[drawn.to(choice.device)]
    ids = torch.full(shape, vocabulary(tokenizer).encode("\n")[0], device=allowed.device)
    made = nucleus(model, tokenizer, prompt_ids, n=n, settings=settings, seed=seed)
    for row, one in enumerate(made):
        kept = [token for token in one.tokens if allowed[token] == 0]
        ids[row, : len(kept)] = torch.tensor(kept, dtype=ids.dtype)
    return ids


def _allowed(energy: Energy, tokenizer: Any) -> torch.Tensor:
    """0 for tokens that spell something, -inf for the others."""
    pieces = vocabulary(tokenizer).pieces
    silent = [i for i in range(len(energy.table)) if i >= len(pieces) or not pieces[i]]
    allowed = energy.table.new_zeros(len(energy.table))
    allowed[silent] = -torch.inf
    return allowed


def _rank(made: Completion) -> tuple[bool, float]:
    return made.met, made.log_probability


def _told(state: State, row: int, constraints: Constraints, met: bool) -> list[dict[str, Any]]:
    named = [*constraints.positive, *constraints.negative]
    common = {
        "step": state.step,
        "row": row,
        "energy": float(state.energy[row]),
        "nll": float(state.nll[row]),
        "rate": float(state.rate[row]),
        "met": met,
    }
    pairs = zip(named, state.margins[row].tolist(), state.multipliers[row].tolist(), strict=True)
    told = [{**common, "phrase": p, "margin": m, "multiplier": w} for p, m, w in pairs]
    return told or [{**common, "phrase": "", "margin": 0.0, "multiplier": 0.0}]
