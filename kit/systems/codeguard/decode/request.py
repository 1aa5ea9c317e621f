"""Defines what a decoding method receives and returns, and tracks key phrases through tokens.

Phrases are matched byte by byte, so token boundaries do not matter. A text's state in a phrase is
the length of the longest prefix of the phrase that the text ends with; once the phrase has occurred
it is the phrase's whole length. States and tokens are few, so all results are cached.
"""

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kit.core.errors import KitError

States = tuple[int, ...]  # one for each phrase, positive ones first
PROBE = "if (x > 0) {\n\treturn 'é';\n}"


@dataclass(frozen=True)
class Constraints:
    """Key phrases that a completion must contain (positive) and must not contain (negative).

    CodeGuard+ section 4.2 and Table 5. Phrases are compared character by character.
    """

    positive: tuple[str, ...] = ()
    negative: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("positive", "negative"):
            phrases = getattr(self, name)
            if isinstance(phrases, str) or not all(isinstance(p, str) and p for p in phrases):
                raise KitError(f"Got {phrases!r} as `{name}`. Give a tuple of phrases, none empty.")
            object.__setattr__(self, name, tuple(dict.fromkeys(phrases)))
        for positive in self.positive:
            for negative in self.negative:
                if negative in positive:
                    raise KitError(
                        f"The positive phrase {positive!r} contains the negative {negative!r}, so "
                        "nothing can meet both. Drop one of them."
                    )

    def are_met(self, completion: str, *, prompt: str = "") -> bool:
        """Does the completion contain every positive phrase, and does no negative one end in it?

        A negative phrase counts if it begins in the prompt; a positive one only if it does not.
        """
        if any(phrase not in completion for phrase in self.positive):
            return False
        for phrase in self.negative:
            tail = prompt[max(0, len(prompt) - len(phrase) + 1) :]
            if phrase in tail + completion:
                return False
        return True

    def are_met_as_published(self, completion: str) -> bool:
        """Are they met as CodeGuard+'s authors count it, in their released code?

        Blanks at the ends of a phrase do not count, and its quotes may all be single or double.
        """
        for phrase in (*self.positive, *self.negative):
            text = phrase.strip()
            is_there = text in completion
            is_there = is_there or text.replace("'", '"') in completion
            is_there = is_there or text.replace('"', "'") in completion
            if is_there != (phrase in self.positive):
                return False
        return True


@dataclass(frozen=True)
class DecodingSettings:
    """Hyperparameters; the defaults are those of CodeGuard+ appendix C where it states one.

    The paper leaves open: max_new_tokens, length_penalty (1 as in transformers), and MuCoLA's
    noise, patience and multiplier decay. Beams are ranked by log probability / length **
    length_penalty.
    """

    max_new_tokens: int = 128
    stop: str = ""  # regex; a text ends at its first match and is cut where the match begins
    temperature: float = 0.4  # of nucleus sampling
    top_p: float = 0.95
    beams: int = 25
    length_penalty: float = 1.0
    learning_rate: float = 0.03  # minimum eta, in embedding units per unit of gradient
    learning_rate_step: float = 0.01  # added to eta in each iteration that moves no token
    multiplier_rate: float = 10.0  # alpha; about 5 / |epsilon - f| while unmet (appendix E)
    multiplier_decay: float = 0.5  # factor on multipliers after a step with all phrases met
    tau: float = 0.01  # temperature of the Gumbel-softmax
    delta: float = 0.1  # slack of epsilon (appendix B)
    iterations: int = 500
    noise: float = 0.1  # standard deviation of the Langevin noise, falling linearly to 0
    patience: int = 50  # iterations without a better completion before a restart

    def __post_init__(self) -> None:
        counts = ("max_new_tokens", "beams", "iterations", "patience")
        above = (*counts, "temperature", "top_p", "learning_rate", "multiplier_rate", "tau")
        values = vars(self)
        wrong = [name for name in above if not values[name] > 0]
        wrong += [name for name in counts if not isinstance(values[name], int)]
        for name in ("learning_rate_step", "delta", "noise"):
            if not values[name] >= 0:
                wrong.append(name)
        if not wrong and self.top_p > 1:
            wrong = ["top_p"]
        if wrong:
            pairs = ", ".join(f"{name} = {values[name]!r}" for name in wrong)
            raise KitError(f"Got {pairs}. Use numbers above 0, whole ones for counts, top_p <= 1.")


@dataclass(frozen=True)
class Request:
    """A request for n completions of one prompt from a causal transformers model.

    Nucleus and beam sampling only check the constraints; the other two methods enforce them.
    """

    model: Any
    tokenizer: Any
    prompt_ids: Sequence[int]
    n: int
    settings: DecodingSettings
    seed: int
    constraints: Constraints = Constraints()


@dataclass(frozen=True)
class Completion:
    """One completion of a prompt.

    log_probability: of these tokens and the end token, if one was drawn, under the model itself
    (natural logarithm; no temperature, no constraint). steps: model calls for all completions of
    the same run; for MuCoLA, the iterations up to the one that gave this completion.
    """

    tokens: tuple[int, ...]  # without the end token
    text: str  # of these tokens, up to settings.stop
    log_probability: float
    finished: bool  # True: the model ended it; False: the token limit
    met: bool
    steps: int
    seed: int


class Vocabulary:
    """The bytes of every token: `pieces[id]`; special tokens have none."""

    def __init__(self, tokenizer: Any) -> None:
        self.tokenizer = tokenizer
        special = set(tokenizer.all_special_ids)
        names = tokenizer.convert_ids_to_tokens(list(range(len(tokenizer))))
        added = set(tokenizer.get_added_vocab().values())  # taken literally: CodeGen's blanks
        characters: set[str] = set()
        for token, name in enumerate(names):
            if token not in added and name:
                characters.update(name)
        is_byte_level = characters <= _byte_alphabet().keys()
        self.pieces: list[bytes] = []
        self.ids: dict[bytes, int] = {}
        for token, name in enumerate(names):
            piece = b""
            if name and token not in special:
                if token in added:
                    piece = name.encode()
                elif is_byte_level:
                    piece = bytes(_byte_alphabet()[character] for character in name)
                else:
                    piece = _spell_sentencepiece(name)
            self.pieces.append(piece)
            self.ids.setdefault(piece, token)
        if self.spell_tokens(self._encode(PROBE)).lstrip() != PROBE.encode():
            raise KitError(
                f"The tokens of {type(tokenizer).__name__} do not spell their text, so no phrase "
                "can be tracked. Use a model with a byte-level or SentencePiece tokenizer."
            )

    def spell_tokens(self, ids: Sequence[int]) -> bytes:
        """The bytes of a sequence of tokens; ids beyond the tokenizer have none."""
        return b"".join(self.pieces[i] for i in ids if i < len(self.pieces))

    def text(self, ids: Sequence[int]) -> str:
        """The text of a sequence of tokens; a cut character becomes U+FFFD."""
        return self.spell_tokens(ids).decode("utf-8", "replace")

    def encode(self, text: str) -> list[int]:
        """Tokens that spell exactly this text: the tokenizer's own if they do, else the fewest."""
        ids = self._encode(text)
        if self.spell_tokens(ids) == text.encode():
            return ids
        return self.find_fewest_tokens(text.encode())

    def find_fewest_tokens(self, text: bytes) -> list[int]:
        """The fewest tokens that spell these bytes; ties go to the longest first token."""
        best: dict[int, list[int]] = {len(text): []}  # start -> the tokens from there on
        for start in range(len(text) - 1, -1, -1):
            for end in range(len(text), start, -1):
                token = self.ids.get(text[start:end])
                if token is None or end not in best:
                    continue
                if start not in best or len(best[end]) + 1 < len(best[start]):
                    best[start] = [token, *best[end]]
        if 0 not in best:
            raise KitError(f"The model's tokens cannot spell {text!r}. Leave that phrase out.")
        return best[0]

    def find_completing_tokens(self, phrase: bytes, begun: bytes) -> NDArray[np.int64]:
        """The tokens that complete a phrase in a text that ends with `begun`."""
        tokens = [i for i, piece in enumerate(self.pieces) if phrase in begun + piece]
        return np.array(tokens, dtype=np.int64)

    def _encode(self, text: str) -> list[int]:
        return list(self.tokenizer.encode(text, add_special_tokens=False))


@functools.lru_cache(maxsize=4)
def read_vocabulary(tokenizer: Any) -> Vocabulary:
    """The vocabulary of a tokenizer, read once."""
    return Vocabulary(tokenizer)


class Progress:
    """Tracks how much of each key phrase a text has matched.

    before: the text before the completion, in which a negative phrase may begin.
    """

    def __init__(self, constraints: Constraints, words: Vocabulary, *, before: str = "") -> None:
        self.words = words
        self.positive = [p.encode() for p in constraints.positive]
        self.negative = [p.encode() for p in constraints.negative]
        states = [0] * len(self.positive)
        for phrase in self.negative:
            tail = before.encode()[-(len(phrase) - 1) :] if len(phrase) > 1 else b""
            states.append(advance_phrase_state(phrase, 0, tail))
        self.start: States = tuple(states)
        self._fewest = functools.cache(words.find_fewest_tokens)
        self._completing = functools.cache(words.find_completing_tokens)

    def after(self, states: States, token: int) -> States:
        """The states of the text after one more token."""
        piece = self.words.spell_tokens((token,))
        phrases = zip([*self.positive, *self.negative], states, strict=True)
        return tuple(advance_phrase_state(phrase, state, piece) for phrase, state in phrases)

    def find_blocked_tokens(self, states: States) -> list[NDArray[np.int64]]:
        """For each negative phrase, the tokens that would complete it now."""
        blocked = []
        for phrase, state in zip(self.negative, states[len(self.positive) :], strict=True):
            begun = phrase[:state] if state < len(phrase) else b""
            blocked.append(self._completing(phrase, begun))
        return blocked

    def left(self, states: States) -> int:
        """The fewest tokens that complete all positive phrases one by one; 0 if none is missing."""
        return sum(map(len, self._find_missing_tokens(states)))

    def find_forced_tokens(self, states: States) -> tuple[int, ...]:
        """The next token of each missing phrase; at its start also one with a leading blank."""
        tokens = []
        missing = self._find_missing_tokens(states)
        for phrase, state, rest in zip(self.positive, states, missing, strict=False):
            tokens += rest[:1]
            if not state and not phrase.startswith(b" "):
                blank = self._fewest(b" " + phrase)[0]
                if advance_phrase_state(phrase, 0, self.words.pieces[blank]):
                    tokens.append(blank)
        return tuple(dict.fromkeys(tokens))

    def _find_missing_tokens(self, states: States) -> list[list[int]]:
        """The fewest tokens that complete each positive phrase."""
        phrases = zip(self.positive, states, strict=False)
        return [self._fewest(phrase[state:]) for phrase, state in phrases]


def advance_phrase_state(phrase: bytes, state: int, piece: bytes) -> int:
    """The state in a phrase after more bytes; once the phrase has occurred, always its length."""
    if state == len(phrase):
        return state
    text = phrase[:state] + piece
    if phrase in text:
        return len(phrase)
    for length in range(len(phrase) - 1, 0, -1):
        if text.endswith(phrase[:length]):
            return length
    return 0


@functools.cache
def _byte_alphabet() -> dict[str, int]:
    """The printable character that byte-level BPE writes for each byte (Radford et al. 2019)."""
    from transformers.convert_slow_tokenizer import bytes_to_unicode

    return {character: byte for byte, character in bytes_to_unicode().items()}


def _spell_sentencepiece(name: str) -> bytes:
    if len(name) == 6 and name.startswith("<0x") and name.endswith(">"):
        return bytes([int(name[3:5], 16)])
    return name.replace("▁", " ").encode()
