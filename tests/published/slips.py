"""How much of what is printed do the laws determine? One digit of a cell is changed, and heard of.

python tests/published/slips.py      writes slips.csv beside it
"""

import re
import tomllib
from functools import cache
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd

from kit.core.paths import PUBLISHED
from kit.papers import audit, published
from kit.papers.audit.relation import Relation
from kit.scoring import stats

FILE = PUBLISHED / "slips.csv"
CELLS = 12  # of each table


def table(paper: str, name: str, *, cells: int, rng: np.random.Generator) -> dict[str, Any]:
    """What becomes of one-digit slips in up to `cells` cells of a table, drawn at random.

    determined: both neighbours in the last digit are unlisted. bounded: some slip is, but not
    both. free: none is. caught: how many of one slip in each determined cell, of any digit.
    """
    frame, found = published.table(paper, name), []
    for i in rng.permutation(len(frame))[:cells]:
        printed = str(frame["printed"].iloc[i])
        near, slip = _neighbours(printed), _slip(printed, rng)
        heard = [is_news(paper, name, int(i), text) for text in [*near, *slip]]
        sure = bool(heard) and all(heard[:-1])
        found.append(("determined" if sure else "bounded" if any(heard) else "free", heard))
    kinds = [kind for kind, _ in found]
    counts = {k: kinds.count(k) for k in ("determined", "bounded", "free")}
    caught = sum(heard[-1] for kind, heard in found if kind == "determined")
    head = {"paper": paper, "table": name, "cells": len(frame), "tried": len(found)}
    return head | counts | {"caught": caught}


def _neighbours(printed: str) -> list[str]:
    if not printed[-1].isdigit():  # a word: nine
        return []
    last = int(printed[-1])
    return [printed[:-1] + str(d) for d in (last - 1, last + 1) if 0 <= d <= 9]


def _slip(printed: str, rng: np.random.Generator) -> list[str]:
    where = [j for j, c in enumerate(printed) if c.isdigit()]
    if not where:
        return []
    j = int(rng.choice(where))
    other = str(rng.choice([d for d in "0123456789" if d != printed[j]]))
    return [printed[:j] + other + printed[j + 1 :]]


def is_news(paper: str, name: str, i: int, text: str) -> bool:
    """Whether the audit notices that row i of a table were printed as `text`."""
    changed = published.table(paper, name)
    step = float(text.replace(",", "")) - changed.loc[i, "value"]
    changed.loc[i, "value"] += step
    changed.loc[i, "printed"] = text
    if name != "claims":  # a printed ± moves with its value
        changed.loc[i, ["ci_low", "ci_high"]] += step
    return bool(unlisted(changed))


def unlisted(changed: pd.DataFrame) -> dict[str, Relation]:
    """The relations that stand otherwise if a table were printed so; a finding that is gone too."""
    paper, name = changed.attrs["paper"], changed.attrs["table"]
    # of the prose all laws: some name a claim by its id
    laws = [law for law in _as_printed(paper) if name == "claims" or _reads(law[0], name)]
    before = {k: r for _, relations in laws for k, r in relations.items()}
    read = published._read_table
    with patch.object(
        published, "_read_table", lambda *of: changed if of == (paper, name) else read(*of)
    ):
        after = {r.name: r for spec, _ in laws for r in audit.check_law(paper, dict(spec))}
    odd = {k: r for k, r in after.items() if r.verdict != "match" and not _alike(r, before.get(k))}
    lost = {k: r for k, r in before.items() if r.verdict != "match" and not _alike(r, after.get(k))}
    return lost | odd


@cache
def _as_printed(paper: str) -> list[tuple[dict[str, Any], dict[str, Relation]]]:
    """Every law of a paper with its relations between the numbers that are printed."""
    laws = tomllib.loads((PUBLISHED / paper / "laws.toml").read_text())["relation"]
    return [(spec, {r.name: r for r in audit.check_law(paper, dict(spec))}) for spec in laws]


def _alike(one: Relation, other: Relation | None) -> bool:
    if other is None or one.verdict != other.verdict:
        return False
    a, b = ((r.printed, r.recomputed) for r in (one, other))
    return np.allclose(a, b, rtol=1e-5, equal_nan=True)


def _reads(value: object, name: str) -> bool:
    if isinstance(value, dict):
        return any(_reads(v, name) for v in value.values())
    if isinstance(value, list):
        return any(_reads(v, name) for v in value)
    heads = [part.split(" ")[0] for part in str(value).split(" + ")]
    return any(re.fullmatch(re.escape(name) + "±?", head) for head in heads)


def caught(paper: str, *, slips: int, rng: np.random.Generator) -> float:
    """The share of so many one-digit slips, in cells drawn from all that a paper prints."""
    frames = {name: published.table(paper, name) for name in published.list_tables(paper)}
    cells = [(name, i) for name, frame in frames.items() for i in range(len(frame))]
    found = []
    for at in rng.permutation(len(cells)):
        name, i = cells[at]
        for text in _slip(str(frames[name]["printed"].iloc[i]), rng):
            found.append(is_news(paper, name, i, text))
        if len(found) == slips:
            break
    return float(np.mean(found))


def main() -> None:
    """Write the shares of every table; print the share of all slips that is caught, by paper."""
    made = [
        table(paper, name, cells=CELLS, rng=stats.seed(f"slips {paper} {name}"))
        for paper in published.list_papers()
        for name in published.list_tables(paper)
    ]
    pd.DataFrame(made).to_csv(FILE, index=False)
    for paper in published.list_papers():
        print(paper, f"{caught(paper, slips=50, rng=stats.seed(f'slips {paper}')):.0%}")


if __name__ == "__main__":
    main()
