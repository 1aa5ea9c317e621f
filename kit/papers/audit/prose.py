"""Laws of lists, names and sentences: what the prose says of the tables beyond single figures."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from kit.papers import published
from kit.papers.audit.laws import ORDERS, WORDS
from kit.papers.audit.ranges import around, evaluate
from kit.papers.audit.relation import Relation, agreement, number
from kit.papers.audit.select import pick, ranges


def bears(
    paper: str,
    *,
    table: str,
    claim: str,
    left: str,
    sign: str,
    right: str,
    where: Mapping[str, str],
    note: str,
    name: str = "sentence",
) -> list[Relation]:
    """A sentence of the prose: one expression over printed numbers against another, as printed."""
    found = {key: ranges(pick(paper, selector)) for key, selector in where.items()}
    one, other = (round(float(evaluate(side, found).mid[0]), 9) for side in (left, right))
    fits = bool(ORDERS[sign](one, other))
    sentence = f"{number(one)} must be {WORDS[sign]} {number(other)}: {note}."
    verdict = "match" if fits else "mismatch"
    return [Relation(paper, table, name, {"claim": claim}, one, other, 0.0, verdict, sentence)]


def spelled(
    paper: str, *, rows: str, column: str, label: str, name: str, note: str
) -> list[Relation]:
    """A name is printed as elsewhere: `label` holds it as printed, `column` as it is known."""
    frame, made = pick(paper, rows), []
    for known, said in frame[[column, label]].drop_duplicates().itertuples(index=False):
        sentence = f"{said} is printed for {known}: {note}."
        where = (paper, frame.attrs["table"], name, {column: known}, 1.0, float(known == said), 0.0)
        made.append(Relation(*where, "match" if known == said else "mismatch", sentence))
    return made


def distinct(paper: str, *, rows: str, column: str, name: str, note: str) -> list[Relation]:
    """No two entries of `column` have all their numbers equal; one relation for each that does not
    come first, against the entry that its numbers repeat."""
    seen: dict[tuple[float, ...], str] = {}
    frame, made = pick(paper, rows), []
    for entry, part in frame.groupby(column, sort=False):
        values = tuple(part["value"])
        first = seen.setdefault(values, str(entry))
        alike = first != entry
        said = f"the same as {first}" if alike else "of no other"
        sentence = f"{', '.join(map(number, values))} are printed, {said}: {note}."
        where = (paper, frame.attrs["table"], name, {column: str(entry)})
        verdict = "mismatch" if alike else "match"
        made.append(Relation(*where, float(alike), 0.0, 0.0, verdict, sentence))
    return made


def listed(
    paper: str, *, left: str, right: str, column: str, name: str, note: str
) -> list[Relation]:
    """Every entry of one list stands in the other, once; `column` holds the entries."""
    a, b = pick(paper, left), pick(paper, right)
    counts, made = b[column].value_counts(), []
    for entry in dict.fromkeys(a[column]):
        times = int(counts.get(entry, 0))
        sentence = f"{entry} is listed {times} times there: {note}."
        where = (paper, a.attrs["table"], name, {column: entry}, 1.0, float(times), 0.0)
        made.append(Relation(*where, "match" if times == 1 else "mismatch", sentence))
    return made


def weakest(
    paper: str, *, rows: str, groups: str, column: str, low: list[str], name: str, note: str
) -> list[Relation]:
    """The groups `low` have the smallest means: one relation for each other group."""
    frame = pick(paper, rows)
    frame = frame.merge(pick(paper, groups)[["group", column]], on=column)
    means = frame.groupby("group", sort=False)["value"].mean()
    edge, made = float(means[low].max()), []
    for group, value in means.drop(low).items():
        sentence = f"{number(value)} must be above {number(edge)}: {note}."
        where = (paper, rows.split()[0], name, {"group": group}, float(value), edge, 0.0)
        made.append(Relation(*where, "match" if value > edge else "mismatch", sentence))
    return made


def configurations(
    paper: str, *, claim: str, models: list[str], plus: list[str], name: str, note: str
) -> list[Relation]:
    """How many different models several selections name, plus the rows of others, counted each."""
    names = {m for selector in models for m in pick(paper, selector)["model"]}
    more = sum(len({tuple(k.items()) for k in _heads(pick(paper, s))}) for s in plus)
    said = pick(paper, f"claims claim={claim}")
    return agreement(said, around(len(names) + more), name, note)


def _heads(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return list(frame[published.keys(frame)].to_dict("records"))
