"""Granularity: are there whole numbers of tasks, for each seed too, that give what is printed?

The test of Brown and Heathers (2017, "The GRIM test") for shares: c of n tasks is printed as
100 c / n, so a printed share between two neighbouring counts cannot have been observed.
"""

import functools
import math
from collections.abc import Mapping

import numpy as np
import pandas as pd
from scipy import stats

from kit.papers import published
from kit.papers.audit.laws import figure
from kit.papers.audit.relation import (
    SLACK,
    Range,
    Relation,
    agreement,
    evaluate,
    number,
    pick,
    ranges,
    records,
    shared,
)

WHOLE = {"%": 100.0, "points": 100.0, "1": 1.0}


def counts(value: float, half: float, n: int, *, whole: float = 100.0) -> range:
    """The counts c with |whole c / n - value| <= half; empty where no count gives the value."""
    low = int(np.ceil((value - half - SLACK) * n / whole))
    high = int(np.floor((value + half + SLACK) * n / whole))
    return range(max(low, 0), min(high, n) + 1)


@functools.cache
def eligible(values: tuple[float, ...], half: float, limit: int) -> tuple[tuple[int, ...], ...]:
    """Every n <= limit at which pass, secure and joint have counts together: (n, p, s, j) rows.

    values: the three percentages in this order. The counts must be possible for one set of n
    tasks: j <= min(p, s) and p + s - j <= n. Of several counts the middle one is given.
    """
    found = []
    for n in range(1, limit + 1):
        p, s, j = (counts(v, half, n) for v in values)
        if p and s and j and j[0] <= min(p[-1], s[-1]) and p[0] + s[0] - j[-1] <= n:
            found.append((n, *(r[len(r) // 2] for r in (p, s, j))))
    return tuple(found)


def reconstructed(
    frame: pd.DataFrame, *, limit: int = 307, settled: Mapping[tuple[str, ...], int] | None = None
) -> pd.DataFrame:
    """The counts behind pass@1, secure@1 and secure-pass@1 of every row of a published table.

    fits: how many n <= limit can give the three shares together; n_least and n_most of them;
    n, passed, secure, joint: the counts at n_most. Where fits is 1, they are certain. settled: for
    a row's keys the n that something else printed tells, in the place of n_most.
    """
    wide = published.wide(frame[frame["metric"].isin(["pass@1", "secure@1", "secure-pass@1"])])
    made = []
    for keys, row in zip(
        wide.index, wide[["pass@1", "secure@1", "secure-pass@1"]].to_numpy(), strict=True
    ):
        found = eligible(tuple(row), 0.05, limit) or ((0, 0, 0, 0),)
        known = (settled or {}).get(keys if isinstance(keys, tuple) else (keys,))
        chosen = next((f for f in found if f[0] == known), found[-1])
        made.append((len(found) * bool(found[0][0]), found[0][0], found[-1][0], *chosen))
    names = ["fits", "n_least", "n_most", "n", "passed", "secure", "joint"]
    return pd.DataFrame(made, columns=names, index=wide.index)


def sizes(paper: str, frame: pd.DataFrame, n: int | str) -> list[int]:
    """The number of tasks of every row: a number, a column of the table, or a claim's figure."""
    if isinstance(n, str):
        return [int(v) for v in frame[n]] if n in frame else [int(figure(paper, n))] * len(frame)
    return [int(n)] * len(frame)


def grain(
    paper: str,
    *,
    rows: str,
    n: int | str,
    name: str = "whole count",
    note: str,
    equal: tuple[str, ...] = (),
    exact: bool = False,
) -> list[Relation]:
    """Every printed share is that of a whole count of n.

    equal: only keys whose two metrics of these names print the same number.
    exact: only rows whose printed interval has no width.
    Where counts lie closer than printed numbers every print fits: no relation.
    """
    frame = pick(paper, rows)
    if equal:
        table = published.table(paper, frame.attrs["table"])
        names = published.keys(table)
        a, b = (table[table["metric"] == m].set_index(names)["value"] for m in equal)
        same = a.index[a.reindex(a.index).eq(b.reindex(a.index))]
        frame = frame[pd.MultiIndex.from_frame(frame[names]).isin(same.to_flat_index())]
    if exact:
        frame = frame[frame["ci_low"] == frame["ci_high"]]
    made = []
    for row, size in zip(frame.to_dict("records"), sizes(paper, frame, n), strict=True):
        whole = WHOLE[row["unit"]]
        if whole / size <= 2 * row["tolerance"] + SLACK:
            continue
        fits = counts(row["value"], row["tolerance"], size, whole=whole)
        c = fits[len(fits) // 2] if fits else round(row["value"] * size / whole)
        near = whole * c / size
        keys = {k: row[k] for k in [*published.keys(frame), "metric"]}
        sentence = f"{number(row['value'])} is printed; {note}: {c} of {size} is {number(near)}."
        where = (paper, frame.attrs["table"], name, keys, row["value"], near, row["tolerance"])
        made.append(Relation(*where, "match" if fits else "infeasible", sentence))
    return made


def _nearest(frame: pd.DataFrame, n: list[int]) -> np.ndarray:
    return np.asarray(np.round(frame["value"].to_numpy() * np.array(n) / 100.0))


def parts(
    paper: str, *, of: str, rows: str, n: str, whole_n: int | str, name: str, note: str
) -> list[Relation]:
    """The counts of the parts, read off their shares, add up to the count of the whole."""
    whole, part = pick(paper, of), pick(paper, rows)
    on = shared(whole, part)
    part = part.assign(count=_nearest(part, sizes(paper, part, n)))
    added = part.groupby(on, sort=False)["count"].sum()
    size = sizes(paper, whole, whole_n)
    found = [added[tuple(k)] for k in whole[on].itertuples(index=False)]
    percent = 100.0 * np.array(found) / np.array(size)
    return agreement(whole, Range(percent, percent, percent), name, note)


def mean_count(
    paper: str, *, of: str, rows: str, n: int | str, name: str, note: str
) -> list[Relation]:
    """A printed average is the mean of the counts behind its rows, not of their rounded shares."""
    whole, part = pick(paper, of), pick(paper, rows)
    on = shared(whole, part)
    size = np.array(sizes(paper, part, n))
    part = part.assign(share=100.0 * _nearest(part, list(size)) / size)
    means = part.groupby(on, sort=False)["share"].mean()
    found = np.array([means[tuple(k)] for k in whole[on].itertuples(index=False)])
    return agreement(whole, Range(found, found, found), name, note)


def which_n(
    paper: str, *, rows: str, metrics: list[str], n: str, name: str, note: str
) -> list[Relation]:
    """Pass, secure and joint of a row at n tasks; recomputed is the largest n at which they fit."""
    frame, limit = pick(paper, rows), int(figure(paper, n))
    wide = published.wide(frame)
    keys, made = published.keys(frame), []
    for at, row in zip(wide.index, wide[metrics].to_numpy(), strict=True):
        fits = [e[0] for e in eligible(tuple(row), 0.05, limit)]
        most = max(fits, default=0)
        named = dict(zip(keys, at if isinstance(at, tuple) else (at,), strict=True))
        where = (paper, frame.attrs["table"], name, named, float(limit), float(most), 0.0)
        sentence = (
            f"{', '.join(map(number, row))} are printed; {note} {limit}: "
            f"{len(fits)} n fit, the largest is {most}."
        )
        made.append(Relation(*where, "match" if most == limit else "infeasible", sentence))
    return made


def common_n(
    paper: str,
    *,
    rows: str,
    by: str,
    limit: str,
    where: Mapping[str, str],
    step: int,
    name: str,
    note: str,
) -> list[Relation]:
    """The smallest numbers of tests that give the printed shares add up to no more than there are.

    For each `by` the smallest k such that n = step k gives every share of its rows; `limit` is an
    expression over the selections of `where`.
    """
    frame = pick(paper, rows)
    names = {key: ranges(pick(paper, selector)) for key, selector in where.items()}
    most = float(evaluate(limit, names).high[0])
    found = {k: smallest(p, step, int(most)) for k, p in frame.groupby(by, sort=False)}
    impossible = [key for key, k in found.items() if not k]
    needed = math.nan if impossible else float(sum(found.values()))
    sentence = f"{note}: at least {number(needed)} tests, of {number(most)}."
    if impossible:
        sentence = f"{note}: no number up to {number(most)} gives {', '.join(impossible)}."
    keys = {by: f"all {len(found)}"}
    place = (paper, frame.attrs["table"], name, keys, most, needed, 0.0)
    return [Relation(*place, "match" if needed <= most else "infeasible", sentence)]


def smallest(part: pd.DataFrame, step: int, limit: int = 100_000) -> int:
    """The smallest k <= limit at which n = step k gives every share of the rows; 0 if none does."""
    pairs = list(zip(part["value"], part["tolerance"], strict=True))
    fits = (k for k in range(1, limit + 1) if all(counts(v, h, step * k) for v, h in pairs))
    return next(fits, 0)


def steps(
    paper: str, *, rows: str, unit: str | float, start: float, part: float, name: str, note: str
) -> list[Relation]:
    """start - value is a whole number of `part` times `unit`, a deduction or the claim of one."""
    frame, made = pick(paper, rows), []
    step = (figure(paper, unit) if isinstance(unit, str) else unit) * part
    for keys, value, half in zip(records(frame), frame["value"], frame["tolerance"], strict=True):
        near = max(start - step * round((start - value) / step), 0.0)
        fits = abs(near - value) <= half + SLACK
        sentence = (
            f"{number(value)} is printed; {note}: {round((start - near) / step)} deductions of "
            f"{number(step)} leave {number(near)}."
        )
        where = (paper, frame.attrs["table"], name, keys, float(value), near, float(half))
        made.append(Relation(*where, "match" if fits else "infeasible", sentence))
    return made


def centred(paper: str, *, rows: str, name: str, note: str) -> list[Relation]:
    """A printed value stands in the middle of its interval."""
    frame, made = pick(paper, rows), []
    frame = frame[frame["ci_low"].notna()]
    ends = zip(frame["value"], frame["ci_low"], frame["ci_high"], strict=True)
    for keys, (value, low, high) in zip(records(frame), ends, strict=True):
        middle = (low + high) / 2
        sentence = f"{number(value)} is printed; {note}: {number(low)} to {number(high)}."
        where = (paper, frame.attrs["table"], name, keys, float(value), float(middle), 0.0)
        fits = abs(middle - value) <= SLACK
        made.append(Relation(*where, "match" if fits else "infeasible", sentence))
    return made


def spread(
    paper: str, *, rows: str, units: int, seeds: str, name: str, note: str, level: float = 0.95
) -> list[Relation]:
    """Whole counts of `units`, one for each seed, give the printed mean and the half-width of its
    t interval together; rows whose possible widths lie closer than printed ones are left out."""
    frame, made = pick(paper, rows), []
    n = sizes(paper, frame.head(1), seeds)[0]
    unit = 100.0 / units * stats.t.ppf((1 + level) / 2, n - 1) / math.sqrt(n * (n - 1))
    for keys, row in zip(records(frame), frame.to_dict("records"), strict=True):
        half = (row["ci_high"] - row["ci_low"]) / 2
        wanted = (half / unit) ** 2
        if unit * (math.sqrt(wanted + 2) - math.sqrt(wanted)) <= 2 * row["tolerance"]:
            continue
        widths = [
            unit * math.sqrt(q)
            for c in counts(row["value"], row["tolerance"], units * n)
            for q in deviations(n, c % n, int(wanted) + 3)
        ]
        near = min(widths, key=lambda w: abs(w - half), default=math.nan)
        fits = abs(near - half) <= row["tolerance"] + SLACK
        sentence = f"{number(half)} is printed; {note}, {n} seeds: {number(near)} comes nearest."
        where = (paper, frame.attrs["table"], name, keys, float(half), near, row["tolerance"])
        made.append(Relation(*where, "match" if fits else "infeasible", sentence))
    return made


@functools.cache
def deviations(n: int, rest: int, most: int) -> tuple[float, ...]:
    """Every sum of squared deviations up to `most` of n whole numbers whose sum is rest mod n."""
    reach = math.isqrt(most) + 1
    found: set[tuple[int, int]] = {(0, 0)}  # (sum, sum of squares) of steps around a whole number
    room = most + rest * rest / n
    for _ in range(n):
        steps = ((s + d, q + d * d) for s, q in found for d in range(-reach, reach + 1))
        found = {(s, q) for s, q in steps if q <= room}
    sums = {q - s * s / n for s, q in found if s == rest}
    return tuple(sorted(q for q in sums if q <= most))


def drawn(
    paper: str, *, rows: str, parts: str, samples: str, seeds: str, name: str, note: str
) -> list[Relation]:
    """The half-width that independent samples of the parts' rates give, within what chance allows.

    The variance over n seeds is a chi-square of n - 1 degrees: of its 99.9% the limits.
    """
    frame, rates = pick(paper, rows), pick(paper, parts)
    n, m = sizes(paper, frame.head(1), seeds)[0], sizes(paper, frame.head(1), samples)[0]
    factor = stats.t.ppf(0.975, n - 1) / math.sqrt(n)
    low, high = np.sqrt(stats.chi2.ppf([0.0005, 0.9995], n - 1) / (n - 1))
    made = []
    for keys, row in zip(records(frame), frame.to_dict("records"), strict=True):
        same = (rates["model"] == row["model"]) & (rates["metric"] == row["metric"])
        p = rates.loc[same, "value"].to_numpy() / 100
        usual = 100 * factor * math.sqrt((p * (1 - p)).sum() / m) / len(p)
        half = (row["ci_high"] - row["ci_low"]) / 2
        fits = usual * low <= half <= usual * high
        sentence = (
            f"{number(half)} is printed; {note}: {number(usual)} on average, "
            f"{number(usual * low)} to {number(usual * high)} by chance."
        )
        where = (paper, frame.attrs["table"], name, keys, float(half), usual, usual * (high - 1))
        made.append(Relation(*where, "match" if fits else "infeasible", sentence))
    return made
