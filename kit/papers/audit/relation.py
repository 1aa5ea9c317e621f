"""One checked relation between printed numbers."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from kit.papers import published
from kit.papers.audit.ranges import Array, Range
from kit.papers.audit.select import records

SLACK = published.SLACK


@dataclass(frozen=True)
class Relation:
    """What is printed, what follows from other printed numbers, and whether both can be true.

    verdict: "match", "mismatch" (another number follows), "infeasible" (no numbers could give it).
    """

    paper: str
    table: str
    law: str
    keys: dict[str, str]
    printed: float
    recomputed: float
    tolerance: float
    verdict: str
    sentence: str

    @property
    def name(self) -> str:
        return published.relation(self.paper, self.table, self.law, self.keys)


def number(value: float) -> str:
    """A number as a sentence wants it."""
    return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.5g}"


def agreement(
    frame: pd.DataFrame,
    follows: Range,
    law: str,
    note: str,
    *,
    bad: str = "mismatch",
    room: Array | None = None,
) -> list[Relation]:
    """One relation a row: the printed value against the range of what follows for it.

    room: how far the two may lie apart; both half digits together unless given.
    """
    rows, made = zip(records(frame), frame["value"], frame["tolerance"], strict=True), []
    for i, (keys, printed, tolerance) in enumerate(rows):
        mid = float(follows.mid[i])
        within = float(tolerance + follows.half[i] if room is None else room[i])
        fits = abs(printed - mid) <= within + SLACK
        sentence = f"{number(printed)} is printed; {note}: {number(mid)}."
        where = (frame.attrs["paper"], frame.attrs["table"], law, keys)
        verdict = "match" if fits else bad
        made.append(Relation(*where, float(printed), mid, within, verdict, sentence))
    return made


def copied(frame: pd.DataFrame, source: Range) -> Array:
    """How far a copy may lie from what it repeats: not at all where both have the same digits.

    Of two numbers with different digits one is the other's rounding: the coarser half digit.
    """
    own = frame["tolerance"].to_numpy(dtype=float)
    other = np.broadcast_to(source.half, own.shape)
    alike = np.isclose(own, other)
    return np.where(alike, 0.0, np.maximum(own, other))
