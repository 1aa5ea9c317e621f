"""Laws of arithmetic, order, lists and sentences: what must be printed, given other numbers."""

import re
from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from kit.papers import published
from kit.papers.audit.relation import (
    Law,
    Relation,
    align_rows,
    evaluate_expression,
    find_copy_tolerance,
    find_shared_keys,
    format_number,
    is_copy,
    list_keys,
    range_around,
    read_ranges,
)
from kit.papers.published import SLACK


def check_states(law: Law, *, of: str, expr: str, where: Mapping[str, str]) -> Iterable[Relation]:
    """A printed number, mostly of the prose, equals an expression over rows of the tables.

    A copy, or a sum or difference of printed numbers, has the same last digit.
    """
    printed, ranges = law.pick_rows(of), law.read_ranges(where)
    follows = evaluate_expression(expr, ranges)
    if not is_copy(expr):
        return law.compare_rows(printed, follows)
    half = max(float(r.half.max()) for r in ranges.values())
    return law.compare_rows(
        printed, follows, room=find_copy_tolerance(printed, range_around(follows.mid, half))
    )


def check_formula(
    law: Law, *, rows: str, target: str, expr: str, metrics: Mapping[str, str], only: str = ""
) -> Iterable[Relation]:
    """A metric of a row equals an expression over the other metrics of that row.

    only: a condition on these metrics; rows that do not meet it are left out.
    """
    frame = law.pick_rows(rows)
    goal = frame[frame["metric"] == target]
    sides = {k: frame[frame["metric"] == m].assign(metric=target) for k, m in metrics.items()}
    for side in sides.values():  # a row without one of the metrics is left out
        goal, _ = align_rows(goal, side)
    if only:
        values = {key: read_ranges(align_rows(goal, side)[1]) for key, side in sides.items()}
        goal = goal[evaluate_expression(only, values).mid.astype(bool)]
    aligned = {key: read_ranges(align_rows(goal, side)[1]) for key, side in sides.items()}
    follows = evaluate_expression(expr, aligned)
    room = find_copy_tolerance(goal, next(iter(aligned.values()))) if is_copy(expr) else None
    return law.compare_rows(goal, follows, room=room)


def check_same(law: Law, *, left: str, right: str) -> Iterable[Relation]:
    """A number that is printed twice is printed alike."""
    a, b = align_rows(law.pick_rows(left), law.pick_rows(right))
    return law.compare_rows(a, read_ranges(b), room=find_copy_tolerance(a, read_ranges(b)))


def check_mean(law: Law, *, of: str, parts: str) -> Iterator[Relation]:
    """A printed average is the mean of its rows as printed: they count as exact."""
    whole, rows = law.pick_rows(of), law.pick_rows(parts)
    on = find_shared_keys(whole, rows)
    for i, keys in enumerate(whole[on].itertuples(index=False)):
        part = rows[(rows[on] == list(keys)).all(axis=1)] if on else rows
        note = f"{law.note}, of {len(part)} rows"
        yield from law.compare_rows(whole.iloc[[i]], range_around(part["value"].mean()), note)


ORDERS = {  # and as a sentence has it
    "<=": (np.less_equal, "at most"),
    "<": (np.less, "below"),
    ">=": (np.greater_equal, "at least"),
    ">": (np.greater, "above"),
    "==": (np.equal, "equal to"),
}


def check_order(
    law: Law, *, left: str, sign: str, right: str, times: float = 1.0, either: bool = False
) -> Iterator[Relation]:
    """Left <= (or <, >=, >) `times` right, row by row, on the printed numbers.

    Rounding keeps the order of numbers with equal digits, so the tolerance applies only if `times`
    is not 1. either: the law is a claim of the prose, so a violation is a mismatch, not infeasible.
    Rows that cannot fail are left out: nothing is below 0 %, nothing above 100 %.
    """
    a, b = align_rows(law.pick_rows(left), law.pick_rows(right))
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
    rows = zip(list_keys(a), a["value"], bound, np.abs(slack), holds, strict=True)
    for keys, value, limit, room, fits in rows:
        sentence = f"{format_number(value)} must be {words} {format_number(limit)}: {law.note}."
        bad = "mismatch" if either else "infeasible"
        yield law.build_relation(a, keys, value, limit, fits, sentence, tolerance=room, bad=bad)


def check_within(
    law: Law, *, left: str, right: str, expr: str, low: float, high: float
) -> Iterator[Relation]:
    """An expression over two printed numbers (a and b) can lie between two limits."""
    a, b = align_rows(law.pick_rows(left), law.pick_rows(right))
    span = evaluate_expression(expr, {"a": read_ranges(a), "b": read_ranges(b)})
    rows = zip(list_keys(a), a["value"], span.low, span.mid, span.high, span.half, strict=True)
    for keys, printed, least, value, most, half in rows:
        fits = least <= high + SLACK and most >= low - SLACK
        sentence = (
            f"{law.note}: {format_number(value)}, to lie between {format_number(low)} and "
            f"{format_number(high)}."
        )
        yield law.build_relation(a, keys, printed, value, fits, sentence, tolerance=half)


def check_ranked(law: Law, *, rows: str, by: str) -> Iterator[Relation]:
    """The rows of each `by` are in descending order: none is above the one before it."""
    for _, part in law.pick_rows(rows).groupby(by, sort=False):
        before = part["value"].shift().iloc[1:]
        for keys, value, limit in zip(list_keys(part)[1:], part["value"][1:], before, strict=True):
            sentence = f"{format_number(value)} stands below {format_number(limit)}: {law.note}."
            yield law.build_relation(
                part, keys, value, limit, value <= limit, sentence, bad="mismatch"
            )


def check_marked(law: Law, *, rows: str, by: str, best: int) -> Iterator[Relation]:
    """The marked cells are the `best` largest of their column."""
    for _, part in law.pick_rows(rows).groupby([by, "metric"], sort=False):
        edge = part["value"].nlargest(best).iloc[-1]
        for keys, value, mark in zip(list_keys(part), part["value"], part["marked"], strict=True):
            fits = bool(mark) == (value >= edge)
            sentence = (
                f"{format_number(value)}, the {best} best begin at {format_number(edge)}: "
                f"{law.note}."
            )
            yield law.build_relation(part, keys, value, edge, fits, sentence, bad="mismatch")


def check_bears(
    law: Law, *, table: str, claim: str, left: str, sign: str, right: str, where: Mapping[str, str]
) -> Iterator[Relation]:
    """A sentence of the prose compares two expressions over printed numbers, taken as exact."""
    ranges = law.read_ranges(where)
    one, other = (
        round(float(evaluate_expression(side, ranges).mid[0]), 9) for side in (left, right)
    )
    compare, words = ORDERS[sign]
    sentence = f"{format_number(one)} must be {words} {format_number(other)}: {law.note}."
    fits, keys = compare(one, other), {"claim": claim}
    yield law.build_relation(table, keys, one, other, fits, sentence, bad="mismatch")


def check_spelled(
    law: Law, *, rows: str, column: str, label: str, before: str = ""
) -> Iterator[Relation]:
    """A name is printed as elsewhere: `label` holds it as printed, `column` as it is known.

    before: what the known name has before the printed one."""
    frame = law.pick_rows(rows)
    for known, words in frame[[column, label]].drop_duplicates().itertuples(index=False):
        fits = known == before + words
        sentence = f"{before}{words} is printed for {known}: {law.note}."
        yield law.build_relation(frame, {column: known}, 1.0, fits, fits, sentence, bad="mismatch")


def check_phrases(law: Law, *, rows: str) -> Iterator[Relation]:
    """As many different phrases in quotation marks stand in a row's label as are counted."""
    frame = law.pick_rows(rows)
    for keys, words, value in zip(list_keys(frame), frame["label"], frame["value"], strict=True):
        count = len(set(re.findall(r'"([^"]+)"(?=;|$)', words)))
        sentence = (
            f"{format_number(value)} phrases are counted, {format_number(count)} differ: "
            f"{law.note}."
        )
        yield law.build_relation(
            frame, keys, value, count, value == count, sentence, bad="mismatch"
        )


def check_alike(law: Law, *, of: str, left: str, right: str) -> Iterable[Relation]:
    """As many rows as stated have the same words, of at least one phrase, in both selections."""
    a, b = align_rows(law.pick_rows(left), law.pick_rows(right))
    equal = (a["label"].to_numpy() == b["label"].to_numpy()) & (a["value"].to_numpy() > 0)
    return law.compare_rows(law.pick_rows(of), range_around(equal.sum()))


def check_distinct(law: Law, *, rows: str, column: str) -> Iterator[Relation]:
    """No two entries of `column` have all their numbers equal; one relation for each that does not
    come first, against the entry that its numbers repeat."""
    by_values: dict[tuple[float, ...], str] = {}
    frame = law.pick_rows(rows)
    for entry, part in frame.groupby(column, sort=False):
        values = tuple(part["value"])
        first = by_values.setdefault(values, str(entry))
        fits = first == entry
        repeated = "of no other" if fits else f"the same as {first}"
        sentence = f"{', '.join(map(format_number, values))} are printed, {repeated}: {law.note}."
        keys = {column: str(entry)}
        yield law.build_relation(frame, keys, not fits, 0.0, fits, sentence, bad="mismatch")


def check_listed(law: Law, *, left: str, right: str, column: str) -> Iterator[Relation]:
    """Every entry of one list is in the other exactly once; `column` holds the entries."""
    a, b = law.pick_rows(left), law.pick_rows(right)
    counts = b[column].value_counts()
    for entry in dict.fromkeys(a[column]):
        times = int(counts.get(entry, 0))
        sentence = f"{entry} is listed {times} times there: {law.note}."
        yield law.build_relation(
            a, {column: entry}, 1.0, times, times == 1, sentence, bad="mismatch"
        )


def check_weakest(
    law: Law, *, rows: str, groups: str, column: str, low: list[str]
) -> Iterator[Relation]:
    """The groups `low` have the smallest means: one relation for each other group."""
    frame = law.pick_rows(rows).merge(law.pick_rows(groups)[["group", column]], on=column)
    means = frame.groupby("group", sort=False)["value"].mean()
    edge = float(means[low].max())
    for group, value in means.drop(low).items():
        sentence = f"{format_number(value)} must be above {format_number(edge)}: {law.note}."
        keys = {"group": group}
        yield law.build_relation(
            rows.split()[0], keys, value, edge, value > edge, sentence, bad="mismatch"
        )


def check_configurations(
    law: Law, *, claim: str, models: list[str], plus: list[str]
) -> Iterable[Relation]:
    """How many different models several selections name, plus the rows of others, counted each."""
    names = {m for selector in models for m in law.pick_rows(selector)["model"]}
    others = [law.pick_rows(selector) for selector in plus]
    more = sum(len(frame.drop_duplicates(published.key_columns(frame))) for frame in others)
    return law.compare_rows(law.pick_claim(claim), range_around(len(names) + more))
