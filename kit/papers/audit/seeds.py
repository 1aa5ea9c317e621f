"""Laws of intervals over seeds: their centre, their lattice, and the width that sampling gives."""

import functools
import math

import numpy as np
from scipy import stats

from kit.papers.audit.grim import counts, sizes
from kit.papers.audit.relation import SLACK, Relation, number
from kit.papers.audit.select import pick, records


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
