"""Constraints for models behind HTTP, as far as a service has a way to take them.

A logit bias of -100 bans a token (OpenAI's chat completions, vLLM, llama.cpp's server and others
that speak the format). It cannot ban a phrase of several tokens, which each stand elsewhere too,
and cannot make a phrase appear. A server that takes a grammar can do both. OpenAI's own service
takes none for plain text; Anthropic's format has neither a bias nor a grammar.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from kit.errors import KitError
from kit.generation.base import Model
from kit.generation.decode.grammar import grammar
from kit.generation.decode.nouns import Constraints
from kit.generation.remote import AnthropicModel, OpenAIModel

BAN = -100
AGAIN = "Draw more samples and keep those that meet them (Constraints.met), or decode `local`."


def by_grammar(model: Model, constraints: Constraints, *, field: str) -> Model:
    """The model held to all constraints by a grammar that goes along with every question.

    field: where its server takes one: `grammar` (llama.cpp), `structured_outputs.grammar` or, of
    older versions, `guided_grammar` (vLLM), `ebnf` (SGLang); a dot is a level of JSON. Not every
    server refuses a field that it does not know: check the text with Constraints.met. Raises
    KitError for a model that takes no further fields, or where the field is given already.
    """
    if not isinstance(model, OpenAIModel):
        raise KitError(f"{model.name} takes no grammar; ask a server of its own (llama.cpp, vLLM) "
                       f"as openai:NAME with its --base-url. {AGAIN}")  # fmt: skip
    outer, _, inner = field.partition(".")
    held = dict(model.extra.get(outer, {})) if inner else {}
    if inner in held or (not inner and outer in model.extra):
        raise KitError(
            f"{model.name} is given {field} already. Give the grammar or that, not both."
        )
    text = grammar(constraints)
    return replace(model, extra={**model.extra, outer: {**held, inner: text} if inner else text})


def constrained(
    model: Model, constraints: Constraints, *, spellings: Mapping[str, Sequence[Sequence[int]]]
) -> Model:
    """The model with every negative phrase banned by logit_bias.

    spellings: for each negative phrase all rows of tokens, of the service's own tokenizer, that may
    spell it: with and without a blank before, at least. Each must be a single token. Longer tokens
    that hold the phrase count as well; check the text with Constraints.met. Raises KitError with
    the reason where the service has no way.
    """
    if isinstance(model, AnthropicModel):
        raise KitError(f"The messages format of {model.name} takes no logit bias or grammar, so "
                       f"constraints cannot be sent. {AGAIN}")  # fmt: skip
    if not isinstance(model, OpenAIModel):
        raise KitError(f"{model.name} takes no constraints this way; use DecodingModel for local "
                       "models.")  # fmt: skip
    if constraints.positive:
        raise KitError(
            f"A logit bias cannot make a phrase appear, so {model.name} cannot be told "
            f"{', '.join(map(repr, constraints.positive))}; by_grammar can, where its server takes "
            f"a grammar. {AGAIN}"
        )
    banned: dict[str, int] = {}
    for phrase in constraints.negative:
        rows = spellings.get(phrase)
        if not rows:
            raise KitError(f"No tokens are known for {phrase!r}. Give `spellings` its rows of "
                           "tokens from the service's tokenizer.")  # fmt: skip
        if long := [list(row) for row in rows if len(row) != 1]:
            raise KitError(
                f"{phrase!r} is spelt by {len(long[0])} tokens ({long[0]}), and a logit bias bans "
                f"single ones wherever they stand. {AGAIN}"
            )
        banned |= {str(row[0]): BAN for row in rows}
    held = model.extra.get("logit_bias", {})
    return replace(model, extra={**model.extra, "logit_bias": {**held, **banned}})
