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
from kit.systems.codeguard.decode.sampling import (
    NucleusWriter,
    completion,
    describe_padding,
    pad_left,
    write_together,
)


class PhraseTerms:
    """What the phrases of one request add to the energy.

    `measure_margins` gives epsilon - f of positive phrases, f - epsilon of negative ones: at least
    0 if the constraint is met.
    """

    def __init__(self, energy: "Energy", request: Request) -> None:
        self.tau = request.settings.tau
        self.draws = torch.Generator().manual_seed(request.seed)
        constraints = request.constraints
        words = read_vocabulary(request.tokenizer)
        named = [*constraints.positive, *constraints.negative]
        self.phrases = [words.encode(phrase) for phrase in named]
        length = request.settings.max_new_tokens
        for phrase, ids in zip(named, self.phrases, strict=True):
            if len(ids) > length:
                raise KitError(
                    f"{phrase!r} has {len(ids)} tokens but the completion {length}. "
                    "Raise max_new_tokens."
                )
        table = energy.table
        signs = [1.0] * len(constraints.positive) + [-1.0] * len(constraints.negative)
        self.signs = table.new_tensor(signs)
        exact = [energy.log_pi(table[p])[range(len(p)), p].mean() for p in self.phrases]
        self.epsilon = table.new_tensor([request.settings.delta - float(m) for m in exact])

    def measure_margins(self, log_pi: torch.Tensor) -> torch.Tensor:
        """[rows, phrases]; log_pi: [rows, length, vocabulary]."""
        if not self.phrases:
            return log_pi.new_zeros(len(log_pi), 0)
        f = [self._phrase_cost(log_pi, phrase) for phrase in self.phrases]
        return self.signs * (self.epsilon - torch.stack(f, dim=-1))

    def _phrase_cost(self, log_pi: torch.Tensor, phrase: Sequence[int]) -> torch.Tensor:
        """-g at a drawn position; g[n]: mean log probability that the phrase stands at n."""
        places = log_pi.shape[1] - len(phrase) + 1
        log_probs = [log_pi[:, u : u + places, token] for u, token in enumerate(phrase)]
        g = torch.stack(log_probs).mean(dim=0)
        noise = -torch.empty(g.shape, dtype=g.dtype).exponential_(generator=self.draws).log_()
        place = (g.detach() / self.tau + noise.to(g.device)).argmax(dim=1, keepdim=True)
        return -g.gather(1, place)[:, 0]


class Energy:
    """E'(e) of eq. 12 for the prompts of some requests; rows are independent.

    e: [rows, length, width] in the space of the embedding table; as many rows for each request,
    in their order. Chance is a request's own, so its rows do not depend on the other requests.
    """

    def __init__(self, *requests: Request) -> None:
        model = requests[0].model
        self.model = model
        self.requests = requests
        self.settings = requests[0].settings
        tables = _embedding_tables(model)
        self.table = tables.inputs
        self.weight = tables.outputs
        self.bias = tables.bias
        self.slope = tables.slope
        self.norms = self.table.square().sum(dim=-1)
        ids, self.mask = pad_left(model, [request.prompt_ids for request in requests])
        padding = describe_padding(model, self.mask, ids.shape[1])
        with torch.no_grad():
            read = model.base_model(inputs_embeds=self._embed(ids), use_cache=True, **padding)
            logits = model(input_ids=ids, **padding).logits[:, -1].to(self.table)
        self.last: torch.Tensor = read.last_hidden_state[:, -1:].to(self.table)
        self.cached = [(layer.keys, layer.values) for layer in read.past_key_values.layers]
        error = 1e-3 if model.dtype in (torch.float32, torch.float64) else 0.1
        if not torch.allclose(
            self._compute_logits(self.last[:, 0]), logits, rtol=error, atol=error
        ):
            raise KitError(
                "The scores of this model are not its last state times its output embeddings, "
                "which MuCoLA needs. Use another model, such as `local`."
            )
        self.terms = [PhraseTerms(self, request) for request in requests]
        self.most_phrases = max(len(terms.phrases) for terms in self.terms)

    def _embed(self, ids: torch.Tensor) -> torch.Tensor:
        return self.table[ids].to(self.model.dtype)

    def nll(self, e: torch.Tensor) -> torch.Tensor:
        """-log P(e | prompt) for each row: -sum of h[n-1] . o(e[n]) - logsumexp over the outputs.

        o(e) is the output embedding of the nearest entry, plus e's offset from that entry times
        slope; e itself if both tables are one. At entries it is the model's own NLL.
        """
        times = len(e) // len(self.requests)
        hidden = self.last.repeat_interleave(times, dim=0)
        if e.shape[1] > 1:
            # the model appends to a cache, so each pass has its own
            repeated = [
                (k.repeat_interleave(times, dim=0), v.repeat_interleave(times, dim=0))
                for k, v in self.cached
            ]
            mask = self.mask.repeat_interleave(times, dim=0)
            mask = torch.cat([mask, mask.new_ones(len(e), e.shape[1] - 1)], dim=1)
            read = self.model.base_model(
                inputs_embeds=e[:, :-1].to(self.model.dtype),
                past_key_values=DynamicCache(repeated),
                use_cache=True,
                **describe_padding(self.model, mask, e.shape[1] - 1),
            )
            hidden = torch.cat([hidden, read.last_hidden_state.to(hidden)], dim=1)
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

    def margins(self, e: torch.Tensor) -> torch.Tensor:
        """The margins of each row's phrases, then 0 up to the number of phrases of the request
        that has most: a margin of 0 is met and moves nothing. [rows, phrases]."""
        margins = e.new_zeros(len(e), self.most_phrases)
        if not self.most_phrases:
            return margins
        parts = self.log_pi(e).chunk(len(self.requests))
        rows = []
        for terms, log_pi in zip(self.terms, parts, strict=True):
            own = terms.measure_margins(log_pi)
            missing = self.most_phrases - own.shape[1]
            rows.append(torch.nn.functional.pad(own, (0, missing)))
        return torch.cat(rows)

    def draw_noise(self, like: torch.Tensor) -> torch.Tensor:
        """Standard normal, of the shape of e."""
        shape = (len(like) // len(self.requests), *like.shape[1:])
        parts = [torch.randn(shape, generator=terms.draws) for terms in self.terms]
        return torch.cat(parts).to(like)

    def project(self, e: torch.Tensor, allowed: torch.Tensor) -> torch.Tensor:
        """The nearest entry of the table for each soft token; allowed: [vocabulary], 0 or -inf."""
        return (self._negative_distance(e) + allowed).argmax(dim=-1)

    def _negative_distance(self, e: torch.Tensor) -> torch.Tensor:
        """-||e - entry||^2 without ||e||^2, which changes neither the order nor the softmax."""
        return torch.sub(2 * e @ self.table.T, self.norms)


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
    """In 32 bits at least: in fewer, the nearest entry of a table is often another one."""
    dtype = torch.promote_types(model.dtype, torch.float32)
    stored = model.get_input_embeddings().weight.detach()
    head = model.get_output_embeddings()
    table = stored.to(dtype)
    weight = head.weight.detach().to(dtype)
    bias = weight.new_zeros(len(weight)) if head.bias is None else head.bias.detach().to(dtype)
    if head.weight.data_ptr() == stored.data_ptr():
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
    """n completions of one request by MuCoLA."""
    return sample_together([request])[0]


def sample_together(requests: Sequence[Request]) -> list[list[Completion]]:
    """For each request n completions of max_new_tokens tokens: of each row, the likeliest iteration
    that meets the constraints, else the likeliest. Negative phrases are penalised, not impossible.

    requests: for one model, of equal n and settings. If a row's best meets the constraints and
    `patience` iterations bring no better one, the row restarts from that one: tokens after its
    phrases are redrawn, and its multipliers are set to 0.
    """
    energy = Energy(*requests)
    pieces = read_vocabulary(requests[0].tokenizer).pieces
    silent = [i for i in range(len(energy.table)) if i >= len(pieces) or not pieces[i]]
    allowed = energy.table.new_zeros(len(energy.table))  # 0 for tokens that spell something
    allowed[silent] = -torch.inf
    n = requests[0].n
    best: dict[int, Completion] = {}
    improved_at = [0] * (n * len(requests))
    for state in langevin(energy, allowed, _start(requests, allowed)):
        log_probs = (-state.nll).tolist()
        for row, tokens in enumerate(state.ids.tolist()):
            request = requests[row // n]
            candidate = completion(
                request,
                tokens,
                log_probability=log_probs[row],
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
    rows = [best[row] for row in range(len(improved_at))]
    return [rows[n * place : n * (place + 1)] for place in range(len(requests))]


def langevin(energy: Energy, allowed: torch.Tensor, start: torch.Tensor) -> Iterator[State]:
    """e <- project(e - eta grad E + noise); multipliers <- max(0, multipliers + alpha dE/dlambda).

    Equation 14. start: ids [rows, length]. A row's eta grows while none of its tokens moves, and
    returns to its minimum when one does. The noise falls linearly to 0. While a row meets all
    phrases its multipliers decay; otherwise they would keep it where it first met them.
    """
    s = energy.settings
    ids = start
    multipliers = energy.table.new_zeros(len(ids), energy.most_phrases)
    rate = energy.table.new_full((len(ids),), s.learning_rate)
    for step in range(s.iterations):
        e = energy.table[ids].requires_grad_()
        nll, margins = energy.nll(e), energy.margins(e)
        value = nll - (multipliers * margins).sum(dim=1)
        (grad,) = torch.autograd.grad(value.sum(), e)
        margins = margins.detach()
        with torch.no_grad():
            noise = energy.draw_noise(e) * s.noise
            target = e - rate[:, None, None] * grad + noise * (1 - step / s.iterations)
            moved = energy.project(target, allowed)
            still = (moved == ids).all(dim=1)
            eta = torch.where(still, rate + s.learning_rate_step, s.learning_rate)
            meets = (margins >= 0).all(dim=1, keepdim=True)
            pressed = (multipliers - s.multiplier_rate * margins).clamp(min=0)
            pressed = torch.where(meets, multipliers * s.multiplier_decay, pressed)
        yield State(step, ids, nll.detach(), margins, multipliers, moved, pressed)
        ids, multipliers, rate = moved, pressed, eta


def _start(requests: Sequence[Request], allowed: torch.Tensor) -> torch.Tensor:
    """Ids [n of each request, length]: one nucleus sample per row, padded with newlines."""
    newline = read_vocabulary(requests[0].tokenizer).encode("\n")[0]
    ids = []
    for samples in write_together([NucleusWriter(request) for request in requests]):
        for sample in samples:
            tokens = [token for token in sample.tokens if allowed[token] == 0]
            missing = requests[0].settings.max_new_tokens - len(tokens)
            ids.append([*tokens, *[newline] * missing])
    return torch.tensor(ids, device=allowed.device)


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
        ids[end:] = _start([behind], allowed)[0]
    return ids


def _completion_rank(candidate: Completion) -> tuple[bool, float]:
    return candidate.met, candidate.log_probability
