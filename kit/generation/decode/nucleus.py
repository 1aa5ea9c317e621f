"""Nucleus sampling (Holtzman et al. 2020; CodeGuard+ eq. 9), many rows at once."""

from collections.abc import Sequence
from typing import Any

import torch

from kit.generation.decode import rows as rows_
from kit.generation.decode.nouns import Completion, Constraints, Settings


def nucleus(
    model: Any,
    tokenizer: Any,
    prompt_ids: Sequence[int],
    *,
    n: int,
    settings: Settings,
    seed: int,
    constraints: Constraints | None = None,
) -> list[Completion]:
    """n completions, each token drawn from the smallest set of tokens of probability >= top_p.

    Row i has a generator of its own, seeded with seed + i. Constraints are judged, not enforced.
    """
    rows_.check_room(model, prompt_ids, settings.max_new_tokens)
    stops = rows_.ends(model, tokenizer)
    draws = [torch.Generator().manual_seed(seed + i) for i in range(n)]
    tokens: list[list[int]] = [[] for _ in range(n)]
    scores, finished, alive = [0.0] * n, [False] * n, list(range(n))
    with torch.inference_mode():
        rows = rows_.Rows(model, prompt_ids)
        for _ in range(settings.max_new_tokens):
            kept = truncated(rows.log_probs / settings.temperature, settings.top_p)
            held, drawn = list(alive), []
            for place, i in enumerate(held):
                row = 0 if rows.count == 1 else place  # the prompt's row serves all at first
                token = int(torch.multinomial(kept[row].cpu(), 1, generator=draws[i]))
                scores[i] += float(rows.log_probs[row, token])
                drawn.append(token)
                finished[i] = token in stops
                tokens[i] += [] if finished[i] else [token]
            alive = [i for i in held if not finished[i]]
            if not alive or len(tokens[alive[0]]) == settings.max_new_tokens:
                break
            places = [place for place, i in enumerate(held) if not finished[i]]
            origin = [0] * len(places) if rows.count == 1 else places
            rows.grow(origin, [drawn[place] for place in places])
    asked = constraints or Constraints()
    return [
        rows_.completion(
            tokenizer, prompt_ids, tokens[i], asked, log_probability=scores[i],
            finished=finished[i], steps=rows.steps, seed=seed + i,
        )
        for i in range(n)
    ]  # fmt: skip


def truncated(logits: torch.Tensor, top_p: float) -> torch.Tensor:
    """Probabilities [rows, vocabulary], 0 outside the nucleus, 1 in sum."""
    probs, order = logits.softmax(dim=-1).sort(dim=-1, descending=True, stable=True)
    before = probs.cumsum(dim=-1) - probs
    probs = probs.masked_fill(before >= top_p, 0.0)
    kept = torch.zeros_like(probs).scatter_(-1, order, probs)
    return kept / kept.sum(dim=-1, keepdim=True)
