"""Laws of arithmetic, order, lists and sentences: what must be printed, given other numbers."""

import re
from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from kit.papers import published
from kit.papers.audit.relation import (
    Law,
    Relation,
    around,
    copied,
    copies,
    evaluate,
    number,
    ranges,
    records,
    shared,
    together,
)
from kit.papers.published import SLACK


def states(law: Law, *, of: str, expr: str, where: Mapping[str, str]) -> Iterable[Relation]:
    """A printed number, mostly of the prose, equals an expression over rows of the tables.

    A copy, or a sum or difference of printed numbers, has the same last digit.
    """
    printed, ranges = law.pick(of), law.ranges(where)
    follows = evaluate(expr, ranges)
    if not copies(expr):
        return law.agreement(printed, follows)
    half = max(float(r.half.max()) for r in ranges.values())
    return law.agreement(printed, follows, room=copied(printed, around(follows.mid, half)))


def formula(
    law: Law, *, rows: str, target: str, expr: str, metrics: Mapping[str, str], only: str = ""
) -> Iterable[Relation]:
    """A metric of a row equals an expression over the other metrics of that row.

    only: a condition on these metrics; rows that do not meet it are left out.
    """
    frame = law.pick(rows)
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
    return law.agreement(goal, follows, room=room)


def same(law: Law, *, left: str, right: str) -> Iterable[Relation]:
    """A number that is printed twice is printed alike."""
    a, b = together(law.pick(left), law.pick(right))
    return law.agreement(a, ranges(b), room=copied(a, ranges(b)))


def mean(law: Law, *, of: str, parts: str) -> Iterator[Relation]:
    """A printed average is the mean of its rows as printed: they count as exact."""
    whole, rows = law.pick(of), law.pick(parts)
    on = shared(whole, rows)
    for i, keys in enumerate(whole[on].itertuples(index=False)):
        part = rows[(rows[on] == list(keys)).all(axis=1)] if on else rows
        note = f"{law.note}, of {len(part)} rows"
        yield from law.agreement(whole.iloc[[i]], around(part["value"].mean()), note)


ORDERS = {  # and as a sentence has it
    "<=": (np.less_equal, "at most"),
    "<": (np.less, "below"),
    ">=": (np.greater_equal, "at least"),
    ">": (np.greater, "above"),
    "==": (np.equal, "equal to"),
}


def order(
    law: Law, *, left: str, sign: str, right: str, times: float = 1.0, either: bool = False
) -> Iterator[Relation]:
    """Left <= (or <, >=, >) `times` right, row by row, on the printed numbers.

    Rounding keeps the order of numbers with equal digits, so the tolerance applies only if `times`
    is not 1. either: the law is a claim of the prose, so a violation is a mismatch, not infeasible.
    Rows that cannot fail are left out: nothing is below 0 %, nothing above 100 %.
    """
    a, b = together(law.pick(left), law.pick(right))
    if sign == "<=":
        least = (a["value"] > 0).to_numpy()
        can = least & ((a["unit"] != "%").to_numpy() | (b["value"] * times < 100).to_numpy())
        a, b = a[can], b[can]
    bound = b["value"].to_numpy() * times
    half = a["tolerance"].to_numpy() + b["tolerance"].to_numpy() * times if times != 1 else 0.0
    slack = np.where(["<" in sign], half, -np.asarray(half)) + np.zeros(len(a))
    close = SLACK if "=" in sign else 0.0
    compare, words = ORDERS[sign]
    holds = compare(a["value"], bound + slack + (close if "<" in sign else -close))
    rows = zip(records(a), a["value"], bound, np.abs(slack), holds, strict=True)
    for keys, value, limit, room, fits in rows:
        sentence = f"{number(value)} must be {words} {number(limit)}: {law.note}."
        bad = "mismatch" if either else "infeasible"
        yield law.relation(a, keys, value, limit, fits, sentence, tolerance=room, bad=bad)


def within(
    law: Law, *, left: str, right: str, expr: str, low: float, high: float
) -> Iterator[Relation]:
    """An expression over two printed numbers (a and b) can lie between two limits."""
    a, b = together(law.pick(left), law.pick(right))
    span = evaluate(expr, {"a": ranges(a), "b": ranges(b)})
    rows = zip(records(a), a["value"], span.low, span.mid, span.high, span.half, strict=True)
    for keys, printed, least, value, most, half in rows:
        fits = least <= high + SLACK and most >= low - SLACK
        sentence = f"{law.note}: {number(value)}, to lie between {number(low)} and {number(high)}."
        yield law.relation(a, keys, printed, value, fits, sentence, tolerance=half)


def ranked(law: Law, *, rows: str, by: str) -> Iterator[Relation]:
    """The rows of each `by` are in descending order: none is above the one before it."""
    for _, part in law.pick(rows).groupby(by, sort=False):
        before = part["value"].shift().iloc[1:]
        for keys, value, limit in zip(records(part)[1:], part["value"][1:], before, strict=True):
            sentence = f"{number(value)} stands below {number(limit)}: {law.note}."
            yield law.relation(part, keys, value, limit, value <= limit, sentence, bad="mismatch")


def marked(law: Law, *, rows: str, by: str, best: int) -> Iterator[Relation]:
    """The marked cells are the `best` largest of their column."""
    for _, part in law.pick(rows).groupby([by, "metric"], sort=False):
        edge = part["value"].nlargest(best).iloc[-1]
        for keys, value, mark in zip(records(part), part["value"], part["marked"], strict=True):
            fits = bool(mark) == (value >= edge)
            sentence = f"{number(value)}, the {best} best begin at {number(edge)}: {law.note}."
            yield law.relation(part, keys, value, edge, fits, sentence, bad="mismatch")


def bears(
    law: Law, *, table: str, claim: str, left: str, sign: str, right: str, where: Mapping[str, str]
) -> Iterator[Relation]:
    """A sentence of the prose compares two expressions over printed numbers, taken as exact."""
    ranges = law.ranges(where)
    one, other = (round(float(evaluate(side, ranges).mid[0]), 9) for side in (left, right))
    compare, words = ORDERS[sign]
    sentence = f"{number(one)} must be {words} {number(other)}: {law.note}."
    fits, keys = compare(one, other), {"claim": claim}
    yield law.relation(table, keys, one, other, fits, sentence, bad="mismatch")


def spelled(
    law: Law, *, rows: str, column: str, label: str, before: str = ""
) -> Iterator[Relation]:
    """A name is printed as elsewhere: `label` holds it as printed, `column` as it is known.

    before: what the known name has before the printed one."""
    frame = law.pick(rows)
    for known, words in frame[[column, label]].drop_duplicates().itertuples(index=False):
        fits = known == before + words
        sentence = f"{before}{words} is printed for {known}: {law.note}."
        yield law.relation(frame, {column: known}, 1.0, fits, fits, sentence, bad="mismatch")


def phrases(law: Law, *, rows: str) -> Iterator[Relation]:
    """As many different phrases in quotation marks stand in a row's label as are counted."""
    frame = law.pick(rows)
    for keys, words, value in zip(records(frame), frame["label"], frame["value"], strict=True):
        count = len(set(re.findall(r'"([^"]+)"(?=;|$)', words)))
        sentence = f"{number(value)} phrases are counted, {number(count)} differ: {law.note}."
        yield law.relation(frame, keys, value, count, value == count, sentence, bad="mismatch")


def alike(law: Law, *, of: str, left: str, right: str) -> Iterable[Relation]:
    """As many rows as stated have the same words, of at least one phrase, in both selections."""
    a, b = together(law.pick(left), law.pick(right))
    equal = (a["label"].to_numpy() == b["label"].to_numpy()) & (a["value"].to_numpy() > 0)
    return law.agreement(law.pick(of), around(equal.sum()))


def distinct(law: Law, *, rows: str, column: str) -> Iterator[Relation]:
    """No two entries of `column` have all their numbers equal; one relation for each that does not
    come first, against the entry that its numbers repeat."""
    by_values: dict[tuple[float, ...], str] = {}
    frame = law.pick(rows)
    for entry, part in frame.groupby(column, sort=False):
        values = tuple(part["value"])
        first = by_values.setdefault(values, str(entry))
        fits = first == entry
        repeated = "of no other" if fits else f"the same as {first}"
        sentence = f"{', '.join(map(number, values))} are printed, {repeated}: {law.note}."
        keys = {column: str(entry)}
        yield law.relation(frame, keys, not fits, 0.0, fits, sentence, bad="mismatch")


def listed(law: Law, *, left: str, right: str, column: str) -> Iterator[Relation]:
    """Every entry of one list is in the other exactly once; `column` holds the entries."""
    a, b = law.pick(left), law.pick(right)
    counts = b[column].value_counts()
    for entry in dict.fromkeys(a[column]):
        times = int(counts.get(entry, 0))
        sentence = f"{entry} is listed {times} times there: {law.note}."
        yield law.relation(a, {column: entry}, 1.0, times, times == 1, sentence, bad="mismatch")


def weakest(law: Law, *, rows: str, groups: str, column: str, low: list[str]) -> Iterator[Relation]:
    """The groups `low` have the smallest means: one relation for each other group."""
    frame = law.pick(rows).merge(law.pick(groups)[["group", column]], on=column)
    means = frame.groupby("group", sort=False)["value"].mean()
    edge = float(means[low].max())
    for group, value in means.drop(low).items():
        sentence = f"{number(value)} must be above {number(edge)}: {law.note}."
        keys = {"group": group}
        yield law.relation(
            rows.split()[0], keys, value, edge, value > edge, sentence, bad="mismatch"
        )


def configurations(
    law: Law, *, claim: str, models: list[str], plus: list[str]
) -> Iterable[Relation]:
    """How many different models several selections name, plus the rows of others, counted each."""
    names = {m for selector in models for m in law.pick(selector)["model"]}
    others = [law.pick(selector) for selector in plus]
    more = sum(len(frame.drop_duplicates(published.keys(frame))) for frame in others)
    return law.agreement(law.claim(claim), around(len(names) + more))
