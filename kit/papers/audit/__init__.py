"""Audits the printed numbers of the papers: evaluates the laws between them, lists discrepancies.

data/published/<paper>/laws.toml says which law holds where; data/published/<paper>/
expected_findings.csv lists the relations that do not hold, each with both of its numbers and its
reason. A relation that fails is unlisted if the list does not have it, and so is one that the list
has and that holds, or has other numbers.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import pandas as pd

from kit.core import notes
from kit.core.errors import KitError
from kit.core.paths import PUBLISHED
from kit.papers import published
from kit.papers.audit import chance, grim, laws
from kit.papers.audit.chance import (
    ac1_range,
    add_intervals,
    find_quantiles,
    list_sizes,
    reconstruct_counts,
)
from kit.papers.audit.relation import Law, Relation

__all__ = [
    "ac1_range",
    "agree",
    "list_sizes",
    "add_intervals",
    "reconstruct_counts",
    "relations",
    "find_quantiles",
    "slip_shares",
    "count_verdicts",
    "select_unlisted",
]
LAWS: dict[str, Callable[..., Iterable[Relation]]] = {}
for module in (laws, grim, chance):
    for function_name, function in vars(module).items():
        if function_name.startswith("check_"):
            LAWS[function_name.removeprefix("check_")] = function
NAMES = {"states": "prose", "bears": "sentence", "grain": "whole count"}  # where none is given
ABOUT = {"claim", "left", "of", "rows"}  # what a relation without a number is named by
NO_NUMBERS = (np.nan, np.nan, 0.0)  # printed, recomputed, tolerance
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


def check_law(paper: str, spec: dict[str, Any]) -> Iterator[Relation]:
    """A law, once for each entry of `each`, which takes the place of {} in its other settings."""
    law, entries = spec.pop("law"), spec.pop("each", [""])
    if law not in LAWS:
        raise KitError(f"Unknown law {law!r} in {paper}. Use one of: {', '.join(LAWS)}.")
    for entry in entries:
        settings = _fill_in(spec, entry)
        about = {key: str(settings[key]) for key in ABOUT & settings.keys()}
        name, note = settings.pop("name", None), settings.pop("note")
        try:
            yield from list(LAWS[law](Law(paper, name or NAMES.get(law, law), note), **settings))
        except (ArithmeticError, LookupError, ValueError) as error:  # 0 tasks, or 0 resamples
            sentence = f"{note}: no number follows ({type(error).__name__}: {error})."
            name = name or law
            yield Relation(paper, "laws", name, about, *NO_NUMBERS, "infeasible", sentence)


def _fill_in(value: Any, entry: str) -> Any:
    if isinstance(value, dict):
        return {key: _fill_in(part, entry) for key, part in value.items()}
    if isinstance(value, str):
        return value.replace("{}", entry)
    return value


def relations(*papers: str) -> pd.DataFrame:
    """One row per relation, of all papers unless some are named.

    `verdict` is match, mismatch or infeasible; `expected` says whether the row is as
    expected_findings.csv lists it; `reason` is that of the finding; `sentence` explains the row.
    """
    frames = [_audit_paper(paper) for paper in papers or published.list_papers()]
    return pd.concat(frames, ignore_index=True)


def _audit_paper(paper: str) -> pd.DataFrame:
    if paper not in published.list_papers():
        raise KitError(
            f"Unknown paper {paper!r}. Use one of: {', '.join(published.list_papers())}."
        )
    known = published.read_findings(paper).set_index("relation")
    rows = []
    for spec in published.read_laws(paper):
        for relation in check_law(paper, spec):
            finding = known.loc[relation.name] if relation.name in known.index else None
            rows.append(_describe_relation(relation, finding))
    frame = pd.DataFrame(rows, columns=COLUMNS)
    if frame["relation"].duplicated().any():
        twice = frame.loc[frame["relation"].duplicated(), "relation"].iloc[0]
        raise KitError(f"Two relations of {paper} are called {twice!r}. Rename one of them.")
    sentence = "This finding is listed, but its law no longer reports it."
    for name in known.index.difference(frame["relation"]):
        names = name.split("/", 3)
        if len(names) < 3 or names[2] not in set(frame["law"]):
            raise KitError(f"No law of {paper} checks the listed finding {name!r}. Remove it.")
        frame.loc[len(frame)] = [name, *names, *NO_NUMBERS, "match", False, sentence, ""]
    return frame


def _describe_relation(relation: Relation, finding: pd.Series | None) -> dict[str, Any]:
    """A row of `relations`; as expected if it matches, or is as its finding lists it."""
    is_expected, reason = relation.verdict == "match", ""
    if finding is not None:
        numbers = [relation.printed, relation.recomputed]
        listed = finding[["printed", "recomputed"]].astype(float)
        is_equal = np.allclose(numbers, listed, rtol=1e-5, atol=1e-9, equal_nan=True)
        is_expected = is_equal and relation.verdict == finding["verdict"]
        reason = finding["reason"]
    keys = ", ".join(f"{key}={value}" for key, value in relation.keys.items())
    row = {**vars(relation), "relation": relation.name, "keys": keys, "reason": reason}
    return row | {"expected": is_expected}


def count_verdicts(frame: pd.DataFrame) -> pd.DataFrame:
    """Relations per paper: how many, and how many match, mismatch, are infeasible, are unlisted."""
    marks = pd.DataFrame({"relations": 1}, index=frame.index)
    for verdict in ("match", "mismatch", "infeasible"):
        marks[verdict] = (frame["verdict"] == verdict).astype(int)
    marks["unlisted"] = (~frame["expected"]).astype(int)
    table = marks.groupby(frame["paper"]).sum()
    return pd.concat([table, table.sum().to_frame("all").T])


def slip_shares(*papers: str) -> pd.DataFrame:
    """What becomes of one-digit slips in these papers' tables; tests/published/slips.py drew them.

    determined, bounded, free: how many of the tried cells are so, and in %; caught: of the slips in
    determined cells.
    """
    slips = pd.read_csv(PUBLISHED / "slips.csv", dtype={"table": str})
    slips = slips[slips["paper"].isin(papers)].copy()
    for kind in ("determined", "bounded", "free"):
        slips[f"{kind}, %"] = 100 * slips[kind] / slips["tried"]
    return slips


def select_unlisted(frame: pd.DataFrame) -> pd.DataFrame:
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
    fresh = select_unlisted(frame)
    listed = frame["reason"] != ""
    as_listed = frame["expected"]
    matches, findings = (as_listed & ~listed).sum(), (as_listed & listed).sum()
    verdicts = {"match": int(matches), "finding": int(findings)}
    if len(fresh):
        verdicts["unlisted"] = len(fresh)
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
