"""One checked relation between printed numbers."""

from dataclasses import dataclass

import pandas as pd

from kit.papers import published
from kit.papers.audit.ranges import Range
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
    frame: pd.DataFrame, follows: Range, law: str, note: str, *, bad: str = "mismatch"
) -> list[Relation]:
    """One relation a row: the printed value against the range of what follows for it."""
    rows, made = zip(records(frame), frame["value"], frame["tolerance"], strict=True), []
    for i, (keys, printed, tolerance) in enumerate(rows):
        mid, half = float(follows.mid[i]), float(follows.half[i])
        fits = abs(printed - mid) <= tolerance + half + SLACK
        made.append(
            Relation(
                frame.attrs["paper"],
                frame.attrs["table"],
                law,
                keys,
                float(printed),
                mid,
                float(tolerance) + half,
                "match" if fits else bad,
                f"{number(printed)} is printed; {note}: {number(mid)}.",
            )
        )
    return made
