"""How like an answer is to the project's own text: models know public files by heart.

A share of answers that are upstream's text says how much of a score may be memory.
"""

import difflib
from collections.abc import Sequence

import pandas as pd

from kit.core.store import Store, slot_of
from kit.harness.languages.tree import node_text, parse, walk
from kit.systems.realsec.instance import FUNCTIONAL

LIKENESS = "likeness"  # the name in the evidence
NEAR = 0.9  # from here on two methods are called nearly equal


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


def list_likenesses(store: Store) -> pd.DataFrame:
    """One row an answer with a method: the columns of the tidy table, and its LIKENESS.

    Empty for a run in which nobody measured it.
    """
    frame = store.frame().drop_duplicates("slot").set_index("slot")
    values = {}
    for sample in store.samples():
        slot = slot_of(sample)
        evidence = store.cell(slot, FUNCTIONAL)[0]
        value = evidence.observed.value if evidence else None
        if isinstance(value, dict) and LIKENESS in value:
            values[slot] = value[LIKENESS]
    return frame.join(pd.Series(values, name=LIKENESS, dtype=float), how="inner")


def note_likeness(scores: pd.DataFrame, store: Store, *, by: Sequence[str]) -> pd.DataFrame:
    """The scores of a run, in each one's note how many of its answers are upstream's text.

    by: the columns that tell the groups of the scores apart. Answers without a method are not
    counted. A run in which nobody measured it keeps its notes.
    """
    measured = list_likenesses(store)
    if measured.empty:
        return scores
    notes = []
    for score in scores.to_dict("records"):
        is_of_group = pd.Series(data=True, index=measured.index)
        for name in set(by).intersection(measured.columns):
            is_of_group &= measured[name].astype(object).fillna("") == (score[name] or "")
        sentence = describe_likeness(measured.loc[is_of_group, LIKENESS])
        notes.append(f"{score['note']} {sentence}".strip())
    return scores.assign(note=notes)


def describe_likeness(values: pd.Series) -> str:
    """One sentence on the likenesses of answers."""
    equal, near = int((values == 1).sum()), int((values >= NEAR).sum())
    more = near - equal
    return f"Of {len(values)} answers {equal} are upstream's own text, {more} more nearly so."
