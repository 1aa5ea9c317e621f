"""Key phrases as a grammar, for servers that hold a model to one while it decodes.

The texts that hold every positive phrase and no negative one are a regular language. Its automaton
is written with one rule a state in GBNF, which llama.cpp's server (field `grammar`), vLLM
(`structured_outputs.grammar`, before version 0.12 `guided_grammar`) and SGLang (`ebnf`) read.
"""

from kit.errors import KitError
from kit.generation.decode.nouns import Constraints

MOST = 20_000  # states; llama.cpp and xgrammar compile so many in seconds
NUL = chr(0)
State = tuple[str, frozenset[str]]  # the end of the text that may begin a phrase; phrases seen


def grammar(constraints: Constraints) -> str:
    """The grammar of all completions that meet the constraints; every one of them, no other.

    States: beginnings of phrases x subsets of the positive ones. KitError for more than MOST.
    """
    phrases = (*constraints.positive, *constraints.negative)
    letters = sorted({c for p in phrases for c in p})
    numbers: dict[State, int] = {("", frozenset()): 0}
    rules: list[str] = []
    for state in (waiting := [*numbers]):
        to: dict[State, list[str]] = {}
        for letter in letters:
            reached = _after(state, letter, constraints)
            if reached is not None:
                to.setdefault(reached, []).append(letter)
        other = ("", state[1])
        for reached in (*to, other):
            if reached not in numbers:
                numbers[reached] = len(numbers)
                waiting.append(reached)
        if len(numbers) > MOST:
            raise KitError(f"The phrases make a grammar of over {MOST} rules. Give fewer of them.")
        ways = [f"[{_class(found)}] s{numbers[r]}" for r, found in to.items()]
        ways.append(f"[^{_class(letters or [NUL])}] s{numbers[other]}")
        if len(state[1]) == len(constraints.positive):
            ways.append('""')
        rules.append(f"s{numbers[state]} ::= {' | '.join(ways)}")
    return "\n".join(["root ::= s0", *rules]) + "\n"


def _after(state: State, letter: str, constraints: Constraints) -> State | None:
    """The state after one more letter; None where a negative phrase would be complete."""
    text = state[0] + letter
    if any(text.endswith(p) for p in constraints.negative):
        return None
    phrases = (*constraints.positive, *constraints.negative)
    ends = (text[i:] for i in range(len(text) + 1))
    tail = next(end for end in ends if any(p.startswith(end) for p in phrases))
    return tail, state[1] | {p for p in constraints.positive if text.endswith(p)}


def _class(letters: list[str]) -> str:
    """Letters of a character class; all but ASCII letters and digits as code points."""
    plain = (c.isascii() and c.isalnum() for c in letters)
    return "".join(c if p else f"\\U{ord(c):08X}" for c, p in zip(letters, plain, strict=True))
