"""The energy of a row of soft tokens (CodeGuard+ section 4.4 and appendix B), differentiable.

Two formulas are read with the signs that their sentences need, as MuCoLA's public code
(Sachin19/mucoco) has them: the position of a phrase is drawn where it is likely,
gumbel-softmax(g / tau) and not (-g / tau), and epsilon is minus the mean LOG probability, for f is
one too. The drawn position is one-hot and constant, so gradients go through g alone.
"""

from collections.abc import Sequence
from typing import Any

import torch
from transformers import DynamicCache

from kit.errors import KitError
from kit.generation.decode import rows as rows_
from kit.generation.decode.nouns import Constraints, Settings
from kit.generation.decode.phrases import vocabulary


class Energy:
    """E'(e) of eq. 12 for one prompt; rows are independent.

    e: [rows, length, width] in the space of the embedding table. `margins` are epsilon - f of
    positive phrases, f - epsilon of negative ones: at least 0 where the constraint is met.
    """

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        prompt_ids: Sequence[int],
        constraints: Constraints,
        settings: Settings,
    ) -> None:
        rows_.check_room(model, prompt_ids, settings.max_new_tokens)
        self.model, self.settings = model, settings
        self.table: torch.Tensor = model.get_input_embeddings().weight.detach()
        self.norms = self.table.square().sum(dim=-1)
        with torch.no_grad():
            ids = torch.tensor([list(prompt_ids)], device=model.device)
            read = model.base_model(input_ids=ids, use_cache=True)
            logits = model.lm_head(read.last_hidden_state[:, -1])
        self.last: torch.Tensor = read.last_hidden_state[:, -1:]
        self.cached = [(layer.keys, layer.values) for layer in read.past_key_values.layers]
        if not torch.allclose(self.last[:, 0] @ self.table.T, logits, rtol=1e-3, atol=1e-3):
            raise KitError(
                "The input and output embeddings of this model are not the same table, which "
                "MuCoLA needs. Use a model with tied embeddings, such as `local`."
            )
        words, length = vocabulary(tokenizer), settings.max_new_tokens
        named = [*constraints.positive, *constraints.negative]
        self.phrases = [words.encode(phrase) for phrase in named]
        for phrase, ids_ in zip(named, self.phrases, strict=True):
            if len(ids_) > length:
                raise KitError(
                    f"{phrase!r} has {len(ids_)} tokens and the completion {length}. "
                    "Raise max_new_tokens."
                )
        self.signs = torch.tensor(
            [1.0] * len(constraints.positive) + [-1.0] * len(constraints.negative),
            dtype=self.table.dtype,
        )
        self.epsilon = torch.tensor([self._epsilon(p) for p in self.phrases]).to(self.signs)

    def nll(self, e: torch.Tensor) -> torch.Tensor:
        """-log P(e | prompt) for each row: -sum of h[n-1] . e[n] - logsumexp over the table.

        At entries of the table it is the model's own negative log-likelihood.
        """
        hidden = self.last.expand(len(e), -1, -1)
        if e.shape[1] > 1:
            read = self.model.base_model(
                inputs_embeds=e[:, :-1], past_key_values=self._cache(len(e)), use_cache=True
            )
            hidden = torch.cat([hidden, read.last_hidden_state], dim=1)
        scores = (hidden * e).sum(dim=-1) - (hidden @ self.table.T).logsumexp(dim=-1)
        total: torch.Tensor = -scores.sum(dim=1)
        return total

    def log_pi(self, e: torch.Tensor) -> torch.Tensor:
        """log softmax of -||e - entry||^2 over the table: [..., vocabulary]."""
        return torch.log_softmax(self._nearness(e), dim=-1)

    def margins(self, e: torch.Tensor, draws: torch.Generator) -> torch.Tensor:
        """epsilon - f of each phrase, sign turned for negative ones: [rows, phrases]."""
        if not self.phrases:
            return e.new_zeros(len(e), 0)
        log_pi = self.log_pi(e)
        f = [self._f(log_pi, phrase, draws) for phrase in self.phrases]
        return self.signs * (self.epsilon - torch.stack(f, dim=-1))

    def project(self, e: torch.Tensor, allowed: torch.Tensor) -> torch.Tensor:
        """The nearest entry of the table for each soft token; allowed: [vocabulary], 0 or -inf."""
        return (self._nearness(e) + allowed).argmax(dim=-1)

    def _nearness(self, e: torch.Tensor) -> torch.Tensor:
        """-||e - entry||^2 without ||e||^2, which changes neither the order nor the softmax."""
        return torch.sub(2 * e @ self.table.T, self.norms)

    def _f(
        self, log_pi: torch.Tensor, phrase: Sequence[int], draws: torch.Generator
    ) -> torch.Tensor:
        """-g at a drawn position; g[n]: mean log probability that the phrase stands at n."""
        places = log_pi.shape[1] - len(phrase) + 1
        each = [log_pi[:, u : u + places, token] for u, token in enumerate(phrase)]
        g = torch.stack(each).mean(dim=0)
        noise = -torch.empty(g.shape, dtype=g.dtype).exponential_(generator=draws).log_()
        place = (g.detach() / self.settings.tau + noise.to(g.device)).argmax(dim=1, keepdim=True)
        return -g.gather(1, place)[:, 0]

    def _epsilon(self, phrase: Sequence[int]) -> float:
        exact = self.log_pi(self.table[list(phrase)])
        own = exact[range(len(phrase)), list(phrase)]
        return float(-own.mean()) + self.settings.delta

    def _cache(self, count: int) -> DynamicCache:
        """A fresh cache of the prompt: the model appends to it, so it serves one pass."""
        shape = (count, -1, -1, -1)
        return DynamicCache([(k.expand(shape), v.expand(shape)) for k, v in self.cached])
