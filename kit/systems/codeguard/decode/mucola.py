"""MuCoLA (Kumar et al. 2022) with key phrases (CodeGuard+ section 4.4, appendices B, C, E).

All tokens of a completion are sampled together. Each Langevin step moves their embeddings down the
gradient of an energy and projects them to the embedding table, and the multiplier of each unmet
phrase rises. The length is fixed. Tokens are never projected to special tokens.

Two formulas follow the paper's text and MuCoLA's public code (Sachin19/mucoco), not their printed
form: a phrase's position is drawn where it is likely, gumbel-softmax(g / tau) and not (-g / tau);
epsilon is minus the mean LOG probability, because f is one too. The drawn position is one-hot and
constant, so gradients flow through g alone.
"""

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from transformers import DynamicCache

from kit.core.errors import KitError
from kit.systems.codeguard.decode.request import Completion, Constraints, Request, read_vocabulary
from kit.systems.codeguard.decode.sampling import completion, nucleus


class Energy:
    """E'(e) of eq. 12 for one prompt; rows are independent.

    e: [rows, length, width] in the space of the embedding table. `margins` are epsilon - f of
    positive phrases, f - epsilon of negative ones: at least 0 if the constraint is met.
    """

    def __init__(self, request: Request) -> None:
        model = request.model
        constraints = request.constraints
        self.model = model
        self.settings = request.settings
        tables = _embedding_tables(model)
        self.table = tables.inputs
        self.weight = tables.outputs
        self.bias = tables.bias
        self.slope = tables.slope
        self.norms = self.table.square().sum(dim=-1)
        with torch.no_grad():
            ids = torch.tensor([list(request.prompt_ids)], device=model.device)
            read = model.base_model(inputs_embeds=self.table[ids], use_cache=True)
            logits = model(input_ids=ids).logits[:, -1]
        self.last: torch.Tensor = read.last_hidden_state[:, -1:]
        self.cached = [(layer.keys, layer.values) for layer in read.past_key_values.layers]
        if not torch.allclose(self._compute_logits(self.last[:, 0]), logits, rtol=1e-3, atol=1e-3):
            raise KitError(
                "The scores of this model are not its last state times its output embeddings, "
                "which MuCoLA needs. Use another model, such as `local`."
            )
        words = read_vocabulary(request.tokenizer)
        length = self.settings.max_new_tokens
        named = [*constraints.positive, *constraints.negative]
        self.phrases = [words.encode(phrase) for phrase in named]
        for phrase, ids_ in zip(named, self.phrases, strict=True):
            if len(ids_) > length:
                raise KitError(
                    f"{phrase!r} has {len(ids_)} tokens but the completion {length}. "
                    "Raise max_new_tokens."
                )
        self.signs = torch.tensor(
            [1.0] * len(constraints.positive) + [-1.0] * len(constraints.negative),
            dtype=self.table.dtype,
        )
        exact = [self.log_pi(self.table[p])[range(len(p)), p].mean() for p in self.phrases]
        self.epsilon = torch.tensor([self.settings.delta - float(m) for m in exact]).to(self.signs)

    def nll(self, e: torch.Tensor) -> torch.Tensor:
        """-log P(e | prompt) for each row: -sum of h[n-1] . o(e[n]) - logsumexp over the outputs.

        o(e) is the output embedding of the nearest entry, plus e's offset from that entry times
        slope; e itself if both tables are one. At entries it is the model's own NLL.
        """
        hidden = self.last.expand(len(e), -1, -1)
        if e.shape[1] > 1:
            shape = (len(e), -1, -1, -1)  # the model appends to a cache, so each pass has its own
            fresh = DynamicCache([(k.expand(shape), v.expand(shape)) for k, v in self.cached])
            read = self.model.base_model(
                inputs_embeds=e[:, :-1], past_key_values=fresh, use_cache=True
            )
            hidden = torch.cat([hidden, read.last_hidden_state], dim=1)
        nearest = self._negative_distance(e.detach()).argmax(dim=-1)
        outputs = self.weight[nearest] + (e - self.table[nearest]) @ self.slope
        own = (hidden * outputs).sum(dim=-1) + self.bias[nearest]
        total: torch.Tensor = (self._compute_logits(hidden).logsumexp(dim=-1) - own).sum(dim=1)
        return total

    def _compute_logits(self, hidden: torch.Tensor) -> torch.Tensor:
        return hidden @ self.weight.T + self.bias

    def log_pi(self, e: torch.Tensor) -> torch.Tensor:
        """log softmax of -||e - entry||^2 over the table: [..., vocabulary]."""
        return torch.log_softmax(self._negative_distance(e), dim=-1)

    def margins(self, e: torch.Tensor, draws: torch.Generator) -> torch.Tensor:
        """epsilon - f of each phrase, negated for negative phrases: [rows, phrases]."""
        if not self.phrases:
            return e.new_zeros(len(e), 0)
        log_pi = self.log_pi(e)
        f = [self._phrase_cost(log_pi, phrase, draws) for phrase in self.phrases]
        return self.signs * (self.epsilon - torch.stack(f, dim=-1))

    def project(self, e: torch.Tensor, allowed: torch.Tensor) -> torch.Tensor:
        """The nearest entry of the table for each soft token; allowed: [vocabulary], 0 or -inf."""
        return (self._negative_distance(e) + allowed).argmax(dim=-1)

    def _negative_distance(self, e: torch.Tensor) -> torch.Tensor:
        """-||e - entry||^2 without ||e||^2, which changes neither the order nor the softmax."""
        return torch.sub(2 * e @ self.table.T, self.norms)

    def _phrase_cost(
        self, log_pi: torch.Tensor, phrase: Sequence[int], draws: torch.Generator
    ) -> torch.Tensor:
        """-g at a drawn position; g[n]: mean log probability that the phrase stands at n."""
        places = log_pi.shape[1] - len(phrase) + 1
        log_probs = [log_pi[:, u : u + places, token] for u, token in enumerate(phrase)]
        g = torch.stack(log_probs).mean(dim=0)
        noise = -torch.empty(g.shape, dtype=g.dtype).exponential_(generator=draws).log_()
        place = (g.detach() / self.settings.tau + noise.to(g.device)).argmax(dim=1, keepdim=True)
        return -g.gather(1, place)[:, 0]


@dataclass(frozen=True)
class EmbeddingTables:
    """inputs, outputs: [vocabulary, width]; bias of the outputs; slope: least squares map from the
    first to the second, [width, width]."""

    inputs: torch.Tensor
    outputs: torch.Tensor
    bias: torch.Tensor
    slope: torch.Tensor


@functools.lru_cache(maxsize=1)
def _embedding_tables(model: Any) -> EmbeddingTables:
    table = model.get_input_embeddings().weight.detach()
    head = model.get_output_embeddings()
    weight = head.weight.detach()
    bias = weight.new_zeros(len(weight)) if head.bias is None else head.bias.detach()
    if weight.data_ptr() == table.data_ptr():
        slope = torch.eye(table.shape[1]).to(table)
    else:
        slope = torch.linalg.lstsq(table, weight).solution
    return EmbeddingTables(table, weight, bias, slope)


@dataclass(frozen=True)
class State:
    """One iteration: ids [rows, length] before it; nll [rows]; margins, multipliers.

    The caller may overwrite next_ids and next_multipliers, which start the next iteration.
    """

    step: int
    ids: torch.Tensor
    nll: torch.Tensor
    margins: torch.Tensor
    multipliers: torch.Tensor
    next_ids: torch.Tensor
    next_multipliers: torch.Tensor


def mucola(request: Request) -> list[Completion]:
    """n completions of max_new_tokens tokens: for each row, the likeliest iteration that meets the
    constraints, else the likeliest. Negative phrases are penalised, not impossible.

    If a row's best meets the constraints and `patience` iterations bring no better one, the row
    restarts from that one: tokens after its phrases are redrawn, and its multipliers are set to 0.
    """
    energy = Energy(request)
    pieces = read_vocabulary(request.tokenizer).pieces
    silent = [i for i in range(len(energy.table)) if i >= len(pieces) or not pieces[i]]
    allowed = energy.table.new_zeros(len(energy.table))  # 0 for tokens that spell something
    allowed[silent] = -torch.inf
    best: dict[int, Completion] = {}
    improved_at = [0] * request.n
    for state in langevin(energy, allowed, _start(request, allowed), request.seed):
        for row in range(request.n):
            candidate = completion(
                request,
                state.ids[row].tolist(),
                log_probability=-float(state.nll[row]),
                finished=False,
                steps=state.step + 1,
                seed=request.seed,
            )
            if row not in best or _completion_rank(candidate) > _completion_rank(best[row]):
                best[row] = candidate
                improved_at[row] = state.step
            elif best[row].met and state.step - improved_at[row] >= request.settings.patience:
                improved_at[row] = state.step
                state.next_ids[row] = _restart_row(request, allowed, best[row].tokens, state.step)
                state.next_multipliers[row] = 0
    return [best[row] for row in range(request.n)]


def langevin(
    energy: Energy, allowed: torch.Tensor, start: torch.Tensor, seed: int
) -> Iterator[State]:
    """e <- project(e - eta grad E + noise); multipliers <- max(0, multipliers + alpha dE/dlambda).

    Equation 14. start: ids [rows, length]. A row's eta grows while none of its tokens moves, and
    returns to its minimum when one does. The noise falls linearly to 0. While a row meets all
    phrases its multipliers decay; otherwise they would keep it where it first met them.
    """
    s = energy.settings
    draws = torch.Generator().manual_seed(seed)
    ids = start
    multipliers = energy.table.new_zeros(len(ids), len(energy.phrases))
    rate = energy.table.new_full((len(ids),), s.learning_rate)
    for step in range(s.iterations):
        e = energy.table[ids].requires_grad_()
        nll, margins = energy.nll(e), energy.margins(e, draws)
        value = nll - (multipliers * margins).sum(dim=1)
        (grad,) = torch.autograd.grad(value.sum(), e)
        margins = margins.detach()
        with torch.no_grad():
            noise = torch.randn(e.shape, generator=draws).to(e) * s.noise
            target = e - rate[:, None, None] * grad + noise * (1 - step / s.iterations)
            moved = energy.project(target, allowed)
            still = (moved == ids).all(dim=1)
            eta = torch.where(still, rate + s.learning_rate_step, s.learning_rate)
            meets = (margins >= 0).all(dim=1, keepdim=True)
            pressed = (multipliers - s.multiplier_rate * margins).clamp(min=0)
            pressed = torch.where(meets, multipliers * s.multiplier_decay, pressed)
        yield State(step, ids, nll.detach(), margins, multipliers, moved, pressed)
        ids, multipliers, rate = moved, pressed, eta


def _start(request: Request, allowed: torch.Tensor) -> torch.Tensor:
    """Ids [n, length]: one nucleus sample per row, padded with newlines."""
    newline = read_vocabulary(request.tokenizer).encode("\n")[0]
    shape = (request.n, request.settings.max_new_tokens)
    ids = torch.full(shape, newline, device=allowed.device)
    for row, sample in enumerate(nucleus(request)):
        tokens = [token for token in sample.tokens if allowed[token] == 0]
        ids[row, : len(tokens)] = torch.tensor(tokens, dtype=ids.dtype)
    return ids


def _restart_row(
    request: Request, allowed: torch.Tensor, tokens: Sequence[int], step: int
) -> torch.Tensor:
    """Ids [length]: the shortest prefix with all positive phrases, then a nucleus sample."""
    words = read_vocabulary(request.tokenizer)
    positive = Constraints(request.constraints.positive)
    end = 0
    for end in range(len(tokens) + 1):
        if positive.are_met(words.text(tokens[:end])):
            break
    ids = torch.tensor(tokens, device=allowed.device)
    missing = len(tokens) - end
    if missing:
        behind = replace(
            request,
            prompt_ids=[*request.prompt_ids, *tokens[:end]],
            n=1,
            seed=request.seed + step,
            settings=replace(request.settings, max_new_tokens=missing),
        )
        ids[end:] = _start(behind, allowed)[0]
    return ids


def _completion_rank(candidate: Completion) -> tuple[bool, float]:
    return candidate.met, candidate.log_probability
