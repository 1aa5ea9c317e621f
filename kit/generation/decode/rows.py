"""Rows that share one prompt and grow token by token over one key-value cache."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch

from kit.errors import KitError
from kit.generation.decode.nouns import Completion, Constraints
from kit.generation.decode.phrases import vocabulary


class Rows:
    """The prompt is encoded once, in one row; each step feeds one new token a row.

    log_probs: [rows, vocabulary], of the next token. Use it inside torch.inference_mode().
    """

    def __init__(self, model: Any, prompt_ids: Sequence[int]) -> None:
        self.model, self.count, self.steps = model, 1, 1
        out = model(torch.tensor([list(prompt_ids)], device=model.device), use_cache=True)
        self.cache = out.past_key_values
        self.log_probs = _next(out)

    def grow(self, parents: Sequence[int], tokens: Sequence[int]) -> None:
        """Row i becomes row parents[i] with tokens[i] behind it; rows may be copied and dropped."""
        device = self.model.device
        if list(parents) != list(range(self.count)):
            self.cache.reorder_cache(torch.tensor(parents, device=device))
        self.count, self.steps = len(parents), self.steps + 1
        fed = torch.tensor(tokens, device=device).unsqueeze(1)
        out = self.model(fed, past_key_values=self.cache, use_cache=True)
        self.cache = out.past_key_values
        self.log_probs = _next(out)


def _next(out: Any) -> torch.Tensor:
    logits: torch.Tensor = out.logits[:, -1].float()
    return logits.log_softmax(dim=-1)


@contextmanager
def on_threads(number: int | None) -> Iterator[None]:
    """torch works on so many threads inside; None changes nothing."""
    before = torch.get_num_threads()
    torch.set_num_threads(number or before)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def ends(model: Any, tokenizer: Any) -> frozenset[int]:
    """The tokens that end a text, by the model's own settings and the tokenizer's."""
    told = model.generation_config.eos_token_id
    listed = told if isinstance(told, list) else [told]
    return frozenset(i for i in (*listed, tokenizer.eos_token_id) if i is not None)


def check_room(model: Any, prompt_ids: Sequence[int], new: int) -> None:
    """Raises KitError for an empty prompt, or where prompt and completion exceed the model."""
    most = getattr(model.config, "max_position_embeddings", None)
    if not prompt_ids:
        raise KitError("The prompt has no tokens. Give a text to be completed.")
    if most is not None and len(prompt_ids) + new > most:
        raise KitError(
            f"The prompt has {len(prompt_ids)} tokens and {new} new ones are asked for; the model "
            f"reads at most {most}. Shorten the prompt or lower max_new_tokens."
        )


def completion(
    tokenizer: Any,
    prompt_ids: Sequence[int],
    tokens: Sequence[int],
    constraints: Constraints,
    **facts: Any,
) -> Completion:
    """The Completion of these tokens, its constraints checked in its text."""
    words = vocabulary(tokenizer)
    text = words.text(tokens)
    met = constraints.met(text, prompt=words.text(prompt_ids))
    return Completion(tuple(tokens), text, met=met, **facts)
