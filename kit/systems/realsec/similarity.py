"""How like an answer is to the project's own text: models know public files by heart.

A share of answers that are upstream's text says how much of a score may be memory.
"""

import difflib

from kit.harness.languages.tree import node_text, parse, walk

LIKENESS = "likeness"  # the name in the evidence


def compare_code(code: str, other: str) -> float:
    """2 M / T over the tokens of two Java texts without comments, in [0, 1]; 1: they are equal.

    M tokens match in order, T are there in both together (Ratcliff and Obershelp).
    """
    tokens, other_tokens = _list_tokens(code), _list_tokens(other)
    if tokens == other_tokens:
        return 1.0
    ratio = difflib.SequenceMatcher(None, tokens, other_tokens, autojunk=False).ratio()
    return round(min(ratio, 0.9999), 4)


def _list_tokens(text: str) -> list[str]:
    leaves = [node for node in walk(parse(text, "java")) if not node.children]
    return [node_text(leaf) for leaf in leaves if "comment" not in leaf.type]
