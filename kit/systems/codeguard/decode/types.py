"""What a decoding method is asked and what it gives back: Request, Completion."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kit.errors import KitError


@dataclass(frozen=True)
class Constraints:
    """Key phrases that a completion must hold (positive) and must not hold (negative).

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
        for wanted in self.positive:
            if held := [p for p in self.negative if p in wanted]:
                raise KitError(
                    f"The positive phrase {wanted!r} holds the negative {held[0]!r}, so nothing "
                    "can meet both. Drop one of them."
                )

    def met(self, completion: str, *, prompt: str = "") -> bool:
        """Every positive phrase is in the completion; no negative one ends in it.

        A negative phrase may not begin in the prompt either; a positive one must be the model's.
        """
        if any(phrase not in completion for phrase in self.positive):
            return False
        tails = ((p, prompt[max(0, len(prompt) - len(p) + 1) :]) for p in self.negative)
        return not any(phrase in tail + completion for phrase, tail in tails)


@dataclass(frozen=True)
class Settings:
    """Hyperparameters; the defaults are CodeGuard+ appendix C where it states one.

    What the paper leaves open: max_new_tokens, length_penalty (1 as in transformers), the noise
    of MuCoLA, its patience and its start. A beam's rank is log probability / length **
    length_penalty.
    """

    max_new_tokens: int = 128
    temperature: float = 0.4  # of nucleus sampling
    top_p: float = 0.95
    beams: int = 25
    length_penalty: float = 1.0
    learning_rate: float = 0.03  # eta, at least; in units of the embedding per unit of gradient
    learning_rate_step: float = 0.01  # added in every iteration that moves no token
    multiplier_rate: float = 10.0  # alpha; about 5 / |epsilon - f| while unmet (appendix E)
    tau: float = 0.01  # temperature of the Gumbel-softmax
    delta: float = 0.1  # slack of epsilon (appendix B)
    iterations: int = 500
    noise: float = 0.1  # standard deviation of the Langevin noise, falling linearly to 0
    patience: int = 50  # iterations without a better completion after the constraints are met
    start: str = "nucleus"  # of MuCoLA's tokens: one nucleus sample, or "random"

    def __post_init__(self) -> None:
        whole = ("max_new_tokens", "beams", "iterations", "patience")
        above = (*whole, "temperature", "top_p", "learning_rate", "multiplier_rate", "tau")
        odd = [n for n in above if not getattr(self, n) > 0]
        odd += [n for n in whole if not isinstance(getattr(self, n), int)]
        odd += [n for n in ("learning_rate_step", "delta", "noise") if not getattr(self, n) >= 0]
        if odd or self.top_p > 1:
            names = ", ".join(f"{n} = {getattr(self, n)!r}" for n in odd or ["top_p"])
            raise KitError(f"Got {names}. Use numbers above 0, whole ones for counts, top_p <= 1.")
        if self.start not in ("nucleus", "random"):
            raise KitError(f"Unknown start {self.start!r}. Use nucleus or random.")


@dataclass(frozen=True)
class Request:
    """n completions of one prompt, asked of a causal model of transformers and its tokenizer.

    Nucleus and beam sampling only judge the constraints; the other two methods enforce them.
    """

    model: Any
    tokenizer: Any
    prompt_ids: Sequence[int]
    n: int
    settings: Settings
    seed: int
    constraints: Constraints = Constraints()


@dataclass(frozen=True)
class Completion:
    """One completion of a prompt.

    log_probability: of these tokens and the end token, where one was drawn, under the model itself
    (natural logarithm; no temperature, no constraint). steps: of the model, for all completions
    that were made together; of MuCoLA: iterations up to the one this completion is from.
    """

    tokens: tuple[int, ...]  # without the end token
    text: str
    log_probability: float
    finished: bool  # the model ended it; otherwise the limit did
    met: bool
    steps: int
    seed: int
