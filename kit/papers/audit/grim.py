"""Granularity: are there whole numbers of tasks, for each seed too, that give what is printed?

The test of Brown and Heathers (2017, "The GRIM test") for shares: c of n tasks is printed as
100 c / n, so a printed share between two neighbouring counts cannot have been observed.
"""

import functools
import math
from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd
from scipy import stats

from kit.papers import published
from kit.papers.audit.relation import (
    Law,
    Relation,
    evaluate_expression,
    find_shared_keys,
    format_number,
    list_keys,
    range_around,
)
from kit.papers.published import SLACK

WHOLE = {"%": 100.0, "points": 100.0, "1": 1.0}


def find_counts(value: float, half: float, n: int, *, whole: float = 100.0) -> range:
    """The counts c with |whole c / n - value| <= half; empty where no count gives the value."""
    low = int(np.ceil((value - half - SLACK) * n / whole))
    high = int(np.floor((value + half + SLACK) * n / whole))
    return range(max(low, 0), min(high, n) + 1)


@functools.cache
def find_possible_sizes(values: tuple[float, ...], limit: int) -> tuple[tuple[int, ...], ...]:
    """Every n <= limit for which pass, secure and joint have possible counts: rows (n, p, s, j).

    values: the three percentages in this order, printed with one decimal. The counts must be
    possible for one set of n tasks: j <= min(p, s) and p + s - j <= n. Of several counts the middle
    one is given.
    """
    fits = []
    for n in range(1, limit + 1):
        p, s, j = (find_counts(v, 0.05, n) for v in values)
        if p and s and j and j[0] <= min(p[-1], s[-1]) and p[0] + s[0] - j[-1] <= n:
            fits.append((n, *(r[len(r) // 2] for r in (p, s, j))))
    return tuple(fits)


def read_sizes(law: Law, frame: pd.DataFrame, n: int | str) -> list[int]:
    """The number of tasks of each row: a number, a column of the table, or the value of a claim."""
    if isinstance(n, str):
        return [int(v) for v in frame[n]] if n in frame else [int(law.read_claim(n))] * len(frame)
    return [int(n)] * len(frame)


def check_grain(
    law: Law, *, rows: str, n: int | str, equal: tuple[str, ...] = (), exact: bool = False
) -> Iterator[Relation]:
    """Every printed share is that of a whole count of n.

    equal: only keys whose two metrics of these names print the same number.
    exact: only rows whose printed interval has no width.
    No relation where counts are closer than printed numbers, because every number then fits.
    """
    frame = law.pick_rows(rows)
    if equal:
        table = published.table(law.paper, frame.attrs["table"])
        names = published.key_columns(table)
        a, b = (table[table["metric"] == m].set_index(names)["value"] for m in equal)
        same = a.index[a.reindex(a.index).eq(b.reindex(a.index))]
        frame = frame[pd.MultiIndex.from_frame(frame[names]).isin(same.to_flat_index())]
    if exact:
        frame = frame[frame["ci_low"] == frame["ci_high"]]
    all_rows = zip(
        list_keys(frame), frame.to_dict("records"), read_sizes(law, frame, n), strict=True
    )
    for keys, row, size in all_rows:
        whole, value = WHOLE[row["unit"]], row["value"]
        if whole / size <= 2 * row["tolerance"] + SLACK:
            continue
        fits = find_counts(value, row["tolerance"], size, whole=whole)
        c = fits[len(fits) // 2] if fits else round(value * size / whole)
        near = whole * c / size
        sentence = (
            f"{format_number(value)} is printed; {law.note}: {c} of {size} is "
            f"{format_number(near)}."
        )
        yield law.build_relation(
            frame, keys, value, near, fits, sentence, tolerance=row["tolerance"]
        )


def _count_nearest(frame: pd.DataFrame, n: list[int]) -> np.ndarray:
    return np.asarray(np.round(frame["value"].to_numpy() * np.array(n) / 100.0))


def check_parts(law: Law, *, of: str, rows: str, n: str, whole_n: int | str) -> Iterator[Relation]:
    """The counts of the parts, read off their shares, add up to the count of the whole."""
    whole, part = law.pick_rows(of), law.pick_rows(rows)
    on = find_shared_keys(whole, part)
    part = part.assign(count=_count_nearest(part, read_sizes(law, part, n)))
    added = part.groupby(on, sort=False)["count"].sum()
    counts = [added[tuple(k)] for k in whole[on].itertuples(index=False)]
    return law.compare_rows(
        whole, range_around(100.0 * np.array(counts) / read_sizes(law, whole, whole_n))
    )


def check_mean_count(law: Law, *, of: str, rows: str, n: int | str) -> Iterator[Relation]:
    """A printed average is the mean of the counts behind its rows, not of their rounded shares."""
    whole, part = law.pick_rows(of), law.pick_rows(rows)
    on = find_shared_keys(whole, part)
    size = read_sizes(law, part, n)
    part = part.assign(share=100.0 * _count_nearest(part, size) / size)
    means = part.groupby(on, sort=False)["share"].mean()
    return law.compare_rows(
        whole, range_around([means[tuple(k)] for k in whole[on].itertuples(index=False)])
    )


def check_which_n(law: Law, *, rows: str, metrics: list[str], n: str) -> Iterator[Relation]:
    """Pass, secure and joint of a row at n tasks; recomputed is the largest n at which they fit."""
    frame, limit = law.pick_rows(rows), int(law.read_claim(n))
    wide, names = published.wide(frame), published.key_columns(frame)
    for at, row in zip(wide.index, wide[metrics].to_numpy(), strict=True):
        fits = [e[0] for e in find_possible_sizes(tuple(row), limit)]
        most = max(fits, default=0)
        keys = dict(zip(names, at if isinstance(at, tuple) else (at,), strict=True))
        sentence = (
            f"{', '.join(map(format_number, row))} are printed; {law.note} {limit}: "
            f"{len(fits)} n fit, the largest is {most}."
        )
        yield law.build_relation(frame, keys, limit, most, most == limit, sentence)


def check_common_n(
    law: Law, *, rows: str, by: str, limit: str, where: Mapping[str, str], step: int
) -> Iterator[Relation]:
    """The smallest numbers of tests that give the printed shares add up to no more than there are.

    For each `by` the smallest k such that n = step k gives every share of its rows; `limit` is an
    expression over the selections of `where`.
    """
    frame = law.pick_rows(rows)
    most = float(evaluate_expression(limit, law.read_ranges(where)).high[0])
    sizes = {k: find_smallest(p, step, int(most)) for k, p in frame.groupby(by, sort=False)}
    impossible = [key for key, k in sizes.items() if not k]
    needed = math.nan if impossible else float(sum(sizes.values()))
    sentence = f"{law.note}: at least {format_number(needed)} tests, of {format_number(most)}."
    if impossible:
        sentence = (
            f"{law.note}: no number up to {format_number(most)} gives {', '.join(impossible)}."
        )
    yield law.build_relation(
        frame, {by: f"all {len(sizes)}"}, most, needed, needed <= most, sentence
    )


def find_smallest(part: pd.DataFrame, step: int, limit: int = 100_000) -> int:
    """The smallest k <= limit at which n = step k gives every share of the rows; 0 if none does."""
    pairs = list(zip(part["value"], part["tolerance"], strict=True))
    for k in range(1, limit + 1):
        if all(find_counts(value, half, step * k) for value, half in pairs):
            return k
    return 0


def check_steps(
    law: Law, *, rows: str, unit: str | float, start: float, part: float
) -> Iterator[Relation]:
    """start - value is a whole number of `part` times `unit`, a deduction or the claim of one."""
    frame = law.pick_rows(rows)
    step = (law.read_claim(unit) if isinstance(unit, str) else unit) * part
    for keys, value, half in zip(list_keys(frame), frame["value"], frame["tolerance"], strict=True):
        near = max(start - step * round((start - value) / step), 0.0)
        sentence = (
            f"{format_number(value)} is printed; {law.note}: "
            f"{round((start - near) / step)} deductions of "
            f"{format_number(step)} leave {format_number(near)}."
        )
        fits = abs(near - value) <= half + SLACK
        yield law.build_relation(frame, keys, value, near, fits, sentence, tolerance=half)


def check_centred(law: Law, *, rows: str) -> Iterator[Relation]:
    """A printed value is the middle of its interval."""
    frame = law.pick_rows(rows)
    frame = frame[frame["ci_low"].notna()]
    ends = zip(list_keys(frame), frame["value"], frame["ci_low"], frame["ci_high"], strict=True)
    for keys, value, low, high in ends:
        middle = (low + high) / 2
        sentence = (
            f"{format_number(value)} is printed; {law.note}: {format_number(low)} to "
            f"{format_number(high)}."
        )
        yield law.build_relation(frame, keys, value, middle, abs(middle - value) <= SLACK, sentence)


def check_spread(law: Law, *, rows: str, units: int, seeds: str) -> Iterator[Relation]:
    """Whole counts of `units`, one for each seed, give the printed mean and the half-width of its
    95% t interval together; rows whose possible widths lie closer than printed ones are left out.
    """
    frame = law.pick_rows(rows)
    n = read_sizes(law, frame.head(1), seeds)[0]
    unit = 100.0 / units * stats.t.ppf(0.975, n - 1) / math.sqrt(n * (n - 1))
    for keys, row in zip(list_keys(frame), frame.to_dict("records"), strict=True):
        half, room = (row["ci_high"] - row["ci_low"]) / 2, row["tolerance"]
        wanted = (half / unit) ** 2
        if unit * (math.sqrt(wanted + 2) - math.sqrt(wanted)) <= 2 * room:
            continue
        widths = []
        for count in find_counts(row["value"], room, units * n):
            squares = list_deviations(n, count % n, int(wanted) + 3)
            widths += [unit * math.sqrt(square) for square in squares]
        near = min(widths, key=lambda w: abs(w - half), default=math.nan)
        fits = abs(near - half) <= room + SLACK
        sentence = (
            f"{format_number(half)} is printed; {law.note}, {n} seeds: "
            f"{format_number(near)} comes nearest."
        )
        yield law.build_relation(frame, keys, half, near, fits, sentence, tolerance=room)


@functools.cache
def list_deviations(n: int, rest: int, most: int) -> tuple[float, ...]:
    """Every sum of squared deviations up to `most` of n whole numbers whose sum is rest mod n."""
    reach = math.isqrt(most) + 1
    sums_to: set[tuple[int, int]] = {(0, 0)}  # (sum, sum of squares) of steps around a whole number
    room = most + rest * rest / n
    for _ in range(n):
        longer = set()
        for step in range(-reach, reach + 1):
            longer |= {(total + step, squares + step * step) for total, squares in sums_to}
        sums_to = {(total, squares) for total, squares in longer if squares <= room}
    sums = {squares - total * total / n for total, squares in sums_to if total == rest}
    return tuple(sorted(square for square in sums if square <= most))


def check_drawn(law: Law, *, rows: str, parts: str, samples: str, seeds: str) -> Iterator[Relation]:
    """The half-width that independent samples of the parts' rates give, within what chance allows.

    The variance over n seeds is a chi-square of n - 1 degrees: of its 99.9% the limits.
    """
    frame, rates = law.pick_rows(rows), law.pick_rows(parts)
    n, m = (read_sizes(law, frame.head(1), name)[0] for name in (seeds, samples))
    factor = stats.t.ppf(0.975, n - 1) / math.sqrt(n)
    low, high = np.sqrt(stats.chi2.ppf([0.0005, 0.9995], n - 1) / (n - 1))
    for keys, row in zip(list_keys(frame), frame.to_dict("records"), strict=True):
        same = (rates["model"] == row["model"]) & (rates["metric"] == row["metric"])
        p = rates.loc[same, "value"].to_numpy() / 100
        usual = 100 * factor * math.sqrt((p * (1 - p)).sum() / m) / len(p)
        half = (row["ci_high"] - row["ci_low"]) / 2
        fits, room = usual * low <= half <= usual * high, usual * (high - 1)
        sentence = (
            f"{format_number(half)} is printed; {law.note}: {format_number(usual)} on average, "
            f"{format_number(usual * low)} to {format_number(usual * high)} by chance."
        )
        yield law.build_relation(frame, keys, half, usual, fits, sentence, tolerance=room)
