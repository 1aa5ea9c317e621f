"""Laws of arithmetic, order, lists and sentences: what must be printed, given other numbers."""

import re
from collections.abc import Mapping

import numpy as np

from kit.papers import published
from kit.papers.audit.relation import (
    SLACK,
    Relation,
    agreement,
    around,
    copied,
    copies,
    evaluate,
    number,
    pick,
    ranges,
    records,
    shared,
    together,
)


def states(
    paper: str, *, of: str, expr: str, where: Mapping[str, str], name: str = "prose", note: str
) -> list[Relation]:
    """A printed figure, of the prose mostly, against an expression over rows of the tables.

    A copy, and a sum or difference of printed numbers, has the same last digit.
    """
    said = pick(paper, of)
    found = {key: ranges(pick(paper, selector)) for key, selector in where.items()}
    follows = evaluate(expr, found)
    if not copies(expr):
        return agreement(said, follows, name, note)
    half = max(float(r.half.max()) for r in found.values())
    return agreement(said, follows, name, note, room=copied(said, around(follows.mid, half)))


def formula(
    paper: str,
    *,
    rows: str,
    target: str,
    expr: str,
    metrics: Mapping[str, str],
    name: str,
    note: str,
    only: str = "",
) -> list[Relation]:
    """A metric of a row against an expression over the other metrics of that row.

    only: a condition on these metrics; rows that do not meet it are left out.
    """
    frame = pick(paper, rows)
    goal = frame[frame["metric"] == target]
    sides = {k: frame[frame["metric"] == m].assign(metric=target) for k, m in metrics.items()}
    for side in sides.values():  # a row without one of the metrics is left out
        goal, _ = together(goal, side)
    if only:
        values = {key: ranges(together(goal, side)[1]) for key, side in sides.items()}
        goal = goal[evaluate(only, values).mid.astype(bool)]
    aligned = {key: ranges(together(goal, side)[1]) for key, side in sides.items()}
    follows = evaluate(expr, aligned)
    room = copied(goal, next(iter(aligned.values()))) if copies(expr) else None
    return agreement(goal, follows, name, note, room=room)


def same(paper: str, *, left: str, right: str, name: str, note: str) -> list[Relation]:
    """A number that is printed twice is printed alike."""
    a, b = together(pick(paper, left), pick(paper, right))
    return agreement(a, ranges(b), name, note, room=copied(a, ranges(b)))


def mean(paper: str, *, of: str, parts: str, name: str, note: str) -> list[Relation]:
    """A printed average is the mean of its rows as printed: they count as exact."""
    whole, rows = pick(paper, of), pick(paper, parts)
    on, made = shared(whole, rows), []
    for i, keys in enumerate(whole[on].itertuples(index=False)):
        part = rows[(rows[on] == list(keys)).all(axis=1)] if on else rows
        one = whole.iloc[[i]]
        made += agreement(one, around(part["value"].mean()), name, f"{note}, of {len(part)} rows")
    return made


ORDERS = {
    "<=": np.less_equal,
    "<": np.less,
    ">=": np.greater_equal,
    ">": np.greater,
    "==": np.equal,
}
WORDS = {"<=": "at most", "<": "below", ">=": "at least", ">": "above", "==": "equal to"}


def order(
    paper: str,
    *,
    left: str,
    sign: str,
    right: str,
    name: str,
    note: str,
    times: float = 1.0,
    either: bool = False,
) -> list[Relation]:
    """Left <= (or <, >=, >) `times` right, row by row, on the printed numbers.

    Rounding keeps the order of numbers of equal digits, so no tolerance applies; it does where
    `times` is not 1. either: a claim of the prose: its breach is a mismatch, not infeasible.
    A row that cannot fail is none: nothing is below 0 %, nothing above 100 %.
    """
    a, b = together(pick(paper, left), pick(paper, right))
    if sign == "<=":
        least = (a["value"] > 0).to_numpy()
        can = least & ((a["unit"] != "%").to_numpy() | (b["value"] * times < 100).to_numpy())
        a, b = a[can], b[can]
    bound = b["value"].to_numpy() * times
    half = a["tolerance"].to_numpy() + b["tolerance"].to_numpy() * times if times != 1 else 0.0
    slack = np.where(["<" in sign], half, -np.asarray(half)) + np.zeros(len(a))
    close = SLACK if "=" in sign else 0.0
    holds = ORDERS[sign](a["value"], bound + slack + (close if "<" in sign else -close))
    bad, made = "mismatch" if either else "infeasible", []
    rows = zip(records(a), a["value"], bound, np.abs(slack), holds, strict=True)
    for keys, value, limit, room, fits in rows:
        sentence = f"{number(value)} must be {WORDS[sign]} {number(limit)}: {note}."
        where = (paper, a.attrs["table"], name, keys, float(value), float(limit), float(room))
        made.append(Relation(*where, "match" if fits else bad, sentence))
    return made


def within(
    paper: str,
    *,
    left: str,
    right: str,
    expr: str,
    low: float,
    high: float,
    name: str,
    note: str,
) -> list[Relation]:
    """An expression over two printed numbers (a and b) can lie between two limits."""
    a, b = together(pick(paper, left), pick(paper, right))
    found, made = evaluate(expr, {"a": ranges(a), "b": ranges(b)}), []
    for i, keys in enumerate(records(a)):
        fits = found.low[i] <= high + SLACK and found.high[i] >= low - SLACK
        value, half = float(found.mid[i]), float(found.half[i])
        sentence = f"{note}: {number(value)}, to lie between {number(low)} and {number(high)}."
        where = (paper, a.attrs["table"], name, keys, float(a["value"].iloc[i]), value, half)
        made.append(Relation(*where, "match" if fits else "infeasible", sentence))
    return made


def ranked(paper: str, *, rows: str, by: str, name: str, note: str) -> list[Relation]:
    """The rows of each `by` stand in falling order: none is above the one before it."""
    made = []
    for _, part in pick(paper, rows).groupby(by, sort=False):
        before = part["value"].shift().iloc[1:]
        for keys, value, limit in zip(records(part)[1:], part["value"][1:], before, strict=True):
            sentence = f"{number(value)} stands below {number(limit)}: {note}."
            where = (paper, part.attrs["table"], name, keys, float(value), float(limit), 0.0)
            made.append(Relation(*where, "match" if value <= limit else "mismatch", sentence))
    return made


def marked(paper: str, *, rows: str, by: str, best: int, name: str, note: str) -> list[Relation]:
    """The marked cells are the `best` largest of their column."""
    frame, made = pick(paper, rows), []
    for _, part in frame.groupby([by, "metric"], sort=False):
        edge = part["value"].nlargest(best).iloc[-1]
        for keys, value, mark in zip(records(part), part["value"], part["marked"], strict=True):
            fits = bool(mark) == (value >= edge)
            sentence = f"{number(value)}, the {best} best begin at {number(edge)}: {note}."
            where = (paper, frame.attrs["table"], name, keys, float(value), float(edge), 0.0)
            made.append(Relation(*where, "match" if fits else "mismatch", sentence))
    return made


def figure(paper: str, name: str) -> float:
    """The value of a claim, for laws that need a number of the prose."""
    return float(pick(paper, f"claims claim={name}")["value"].iloc[0])


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
    paper: str, *, rows: str, column: str, label: str, name: str, note: str, before: str = ""
) -> list[Relation]:
    """A name is printed as elsewhere: `label` holds it as printed, `column` as it is known.

    before: what the known name has before the printed one."""
    frame, made = pick(paper, rows), []
    for known, said in frame[[column, label]].drop_duplicates().itertuples(index=False):
        said = before + said
        sentence = f"{said} is printed for {known}: {note}."
        where = (paper, frame.attrs["table"], name, {column: known}, 1.0, float(known == said), 0.0)
        made.append(Relation(*where, "match" if known == said else "mismatch", sentence))
    return made


def phrases(paper: str, *, rows: str, name: str, note: str) -> list[Relation]:
    """As many different phrases in quotation marks stand in a row's label as are counted."""
    frame, made = pick(paper, rows), []
    for keys, words, value in zip(records(frame), frame["label"], frame["value"], strict=True):
        found = float(len(set(re.findall(r'"([^"]+)"(?=;|$)', words))))
        sentence = f"{number(value)} phrases are counted, {number(found)} differ: {note}."
        where = (paper, frame.attrs["table"], name, keys, float(value), found, 0.0)
        made.append(Relation(*where, "match" if value == found else "mismatch", sentence))
    return made


def alike(paper: str, *, of: str, left: str, right: str, name: str, note: str) -> list[Relation]:
    """As many rows as stated have the same words, of at least one phrase, in both selections."""
    a, b = together(pick(paper, left), pick(paper, right))
    equal = (a["label"].to_numpy() == b["label"].to_numpy()) & (a["value"].to_numpy() > 0)
    return agreement(pick(paper, of), around(equal.sum()), name, note)


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
    others = [pick(paper, selector) for selector in plus]
    more = sum(len(frame.drop_duplicates(published.keys(frame))) for frame in others)
    said = pick(paper, f"claims claim={claim}")
    return agreement(said, around(len(names) + more), name, note)
