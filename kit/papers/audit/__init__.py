"""Audits the printed numbers of the papers: evaluates the laws between them, lists discrepancies.

data/published/<paper>/laws.toml says which law holds where; data/published/<paper>/
expected_findings.csv lists the relations that do not hold, each with both of its numbers and its
reason. A relation that fails is unlisted if the list does not have it, and so is one that the list
has and that holds, or has other numbers.
"""

import tomllib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import pandas as pd

from kit import notes
from kit.errors import KitError
from kit.papers import published
from kit.papers.audit import chance, grim, laws
from kit.papers.audit.chance import ac1_range, candidates, intervals, reconstructed, resampled
from kit.papers.audit.relation import Law, Relation
from kit.paths import PUBLISHED

__all__ = [
    "ac1_range",
    "agree",
    "candidates",
    "intervals",
    "reconstructed",
    "relations",
    "resampled",
    "slip_shares",
    "summary",
    "unlisted",
]
LAWS: dict[str, Callable[..., Iterable[Relation]]] = {
    law.__name__: law
    for law in (
        laws.states,
        laws.formula,
        laws.same,
        laws.mean,
        laws.order,
        laws.within,
        laws.ranked,
        laws.marked,
        laws.bears,
        laws.spelled,
        laws.phrases,
        laws.alike,
        laws.distinct,
        laws.listed,
        laws.weakest,
        laws.configurations,
        grim.centred,
        grim.spread,
        grim.drawn,
        grim.grain,
        grim.parts,
        grim.mean_count,
        grim.which_n,
        grim.common_n,
        grim.steps,
        chance.interval,
        chance.sign,
        chance.coefficient,
        chance.confusion,
        chance.reviewed,
        chance.executed,
    )
}
NAMES = {"states": "prose", "bears": "sentence", "grain": "whole count"}  # where none is given
COLUMNS = [
    "relation",
    "paper",
    "table",
    "law",
    "keys",
    "printed",
    "recomputed",
    "tolerance",
    "verdict",
    "expected",
    "sentence",
    "reason",
]


def checked(paper: str, spec: dict[str, Any]) -> Iterator[Relation]:
    """A law, once for each entry of `each`, which takes the place of {} in its other settings."""
    law, entries = spec.pop("law"), spec.pop("each", [""])
    if law not in LAWS:
        raise KitError(f"Unknown law {law!r} in {paper}. Use one of: {', '.join(LAWS)}.")
    for entry in entries:
        settings = {k: _filled(v, entry) for k, v in spec.items()}
        about: dict[str, str] = {
            k: str(settings[k]) for k in ("claim", "left", "of", "rows") if k in settings
        }
        name, note = settings.pop("name", None), settings.pop("note")
        try:
            yield from list(LAWS[law](Law(paper, name or NAMES.get(law, law), note), **settings))
        except (ArithmeticError, LookupError, ValueError) as error:  # 0 tasks, or 0 resamples
            sentence = f"{note}: no number follows ({type(error).__name__}: {error})."
            none = (np.nan, np.nan, 0.0, "infeasible")
            yield Relation(paper, "laws", name or law, about, *none, sentence)


def _filled(value: Any, entry: str) -> Any:
    if isinstance(value, dict):
        return {k: _filled(v, entry) for k, v in value.items()}
    return value.replace("{}", entry) if isinstance(value, str) else value


def relations(*papers: str) -> pd.DataFrame:
    """One row per relation, of all papers unless some are named.

    `verdict` is match, mismatch or infeasible; `expected` says whether the row is as
    expected_findings.csv lists it; `reason` is that of the finding; `sentence` explains the row.
    """
    frames = [_frame(paper) for paper in papers or published.papers()]
    return pd.concat(frames, ignore_index=True)


def _frame(paper: str) -> pd.DataFrame:
    rows = []
    if paper not in published.papers():
        raise KitError(f"Unknown paper {paper!r}. Use one of: {', '.join(published.papers())}.")
    known = published.findings(paper).set_index("relation")
    laws = tomllib.loads((PUBLISHED / paper / "laws.toml").read_text())["relation"]
    for r in (relation for spec in laws for relation in checked(paper, spec)):
        finding = known.loc[r.name] if r.name in known.index else None
        as_listed = r.verdict == "match"
        if finding is not None:  # it has the verdict and both numbers of its list
            listed = (float(finding["printed"]), float(finding["recomputed"]))
            alike = np.allclose(
                (r.printed, r.recomputed), listed, rtol=1e-5, atol=1e-9, equal_nan=True
            )
            as_listed = bool(alike and r.verdict == finding["verdict"])
        keys = ", ".join(f"{k}={v}" for k, v in r.keys.items())
        numbers = (r.printed, r.recomputed, r.tolerance)
        reason = "" if finding is None else finding["reason"]
        head = (r.name, r.paper, r.table, r.law, keys)
        rows.append((*head, *numbers, r.verdict, as_listed, r.sentence, reason))
    frame = pd.DataFrame(rows, columns=COLUMNS)
    if frame["relation"].duplicated().any():
        twice = frame.loc[frame["relation"].duplicated(), "relation"].iloc[0]
        raise KitError(f"Two relations of {paper} are called {twice!r}. Rename one of them.")
    gone = [*known.index.difference(frame["relation"])]
    if foreign := [name for name in gone if name.split("/")[2:3] not in [[n] for n in frame.law]]:
        raise KitError(f"No law of {paper} checks the listed finding {foreign[0]!r}. Remove it.")
    sentence = "This finding is listed, but its law no longer reports it."
    lost = [(n, *n.split("/", 3), np.nan, np.nan, 0.0, "match", False, sentence, "") for n in gone]
    return pd.concat([frame, pd.DataFrame(lost, columns=COLUMNS)]) if lost else frame


def summary(frame: pd.DataFrame) -> pd.DataFrame:
    """Relations per paper: how many, and how many match, mismatch, are infeasible, are unlisted."""
    by = frame.groupby("paper")
    kinds = {v: by["verdict"].agg(lambda c, v=v: int((c == v).sum())) for v in VERDICTS}
    unlisted = by["expected"].agg(lambda c: int((~c).sum()))
    table = pd.DataFrame({"relations": by.size(), **kinds, "unlisted": unlisted})
    return pd.concat([table, table.sum().to_frame("all").T])


def slip_shares(*papers: str) -> pd.DataFrame:
    """What becomes of one-digit slips in these papers' tables; data/published/slips.py drew them.

    determined, bounded, free: how many of the tried cells are so, and in %; caught: of the slips in
    determined cells.
    """
    drawn = pd.read_csv(PUBLISHED / "slips.csv", dtype={"table": str})
    drawn = drawn[drawn["paper"].isin(papers)]
    kinds = ("determined", "bounded", "free")
    return drawn.assign(**{f"{kind}, %": 100 * drawn[kind] / drawn["tried"] for kind in kinds})


VERDICTS = ("match", "mismatch", "infeasible")


def unlisted(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows that differ from the list of findings: a new discrepancy, or one that is gone."""
    return frame[~frame["expected"]]


def agree(paper: str, *tables: str) -> pd.DataFrame:
    """The laws that check a table's numbers: relations, verdict and reason.

    One row per law and per different reason of a finding. Raises Disagreement if a relation is not
    as expected_findings.csv lists it; passes a note to the runner.
    """
    frame = relations(paper)
    frame = frame[frame["table"].isin(tables)]
    if frame.empty:
        raise KitError(f"No law of {paper} checks table {', '.join(tables)}. Look at laws.toml.")
    fresh = unlisted(frame)
    listed = frame["reason"] != ""
    standing = frame["expected"]
    verdicts = {"match": int((standing & ~listed).sum()), "finding": int((standing & listed).sum())}
    verdicts |= {"unlisted": len(fresh)} if len(fresh) else {}
    off = (frame["printed"] - frame["recomputed"]).abs()[~listed]
    note = {"rows": len(frame), "verdicts": verdicts, "largest_difference": float(off.max())}
    notes.note("comparison", paper=paper, table=", ".join(tables), law="all", **note)
    if len(fresh):
        sentences = "\n".join(fresh["relation"] + ": " + fresh["sentence"])
        raise published.Disagreement(f"{len(fresh)} relations are unlisted:\n{sentences}")
    verdict = frame["verdict"].where(~listed, "finding")
    by = ["table", "law", "verdict", "reason"]
    sizes = frame.assign(verdict=verdict).groupby(by, sort=False).size().rename("relations")
    return sizes.reset_index()[["table", "law", "relations", "verdict", "reason"]]
