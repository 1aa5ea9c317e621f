"""Laws of chance and agreement: intervals, sign tests, AC1 and confusion counts from the counts."""

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd
from scipy import stats

from kit.papers import published
from kit.papers.audit.grim import find_counts, find_possible_sizes
from kit.papers.audit.relation import (
    Law,
    Relation,
    format_number,
    pick_rows,
    range_around,
    read_claim,
)
from kit.papers.published import SLACK
from kit.scoring.rates import precision_recall_f1

COUNTED = {"pass@1": "passed", "secure@1": "secure", "secure-pass@1": "joint"}


def find_quantiles(n: int, joint: int, *, level: float = 0.95) -> tuple[float, float]:
    """The percentile bootstrap of `joint` successes in n tasks, in %, without drawing.

    A resample of n zeros and ones has a binomial number of ones, so its quantiles are exact.
    """
    tail = (1 - level) / 2
    low, high = stats.binom.ppf([tail, 1 - tail], n, joint / n)
    return 100.0 * float(low) / n, 100.0 * float(high) / n


def reconstruct_counts(frame: pd.DataFrame, *, limit: int = 307) -> pd.DataFrame:
    """The counts behind pass@1, secure@1 and secure-pass@1 of every row of a published table.

    fits: how many n <= limit can give the three shares together; n_least and n_most of them;
    n, passed, secure, joint: the counts at n_most, or at the n that a printed interval implies.
    If fits is 1, they are certain.
    """
    wide = published.wide(frame[frame["metric"].isin(COUNTED)])[list(COUNTED)]
    sizes, rows = find_settled_sizes(frame), []
    for keys, row in zip(wide.index, wide.to_numpy(), strict=True):
        fits = find_possible_sizes(tuple(row), limit) or ((0, 0, 0, 0),)
        known = sizes.get(keys if isinstance(keys, tuple) else (keys,))
        chosen = next((f for f in fits if f[0] == known), fits[-1])
        rows.append((len(fits) * bool(fits[0][0]), fits[0][0], fits[-1][0], *chosen))
    names = ["fits", "n_least", "n_most", "n", "passed", "secure", "joint"]
    return pd.DataFrame(rows, columns=names, index=wide.index)


def find_settled_sizes(frame: pd.DataFrame) -> dict[tuple[str, ...], int]:
    """Keys of a row -> the n whose exact bootstrap interval is nearest to the printed one.

    Only rows whose joint rate the prose prints with an interval.
    """
    paper, name = frame.attrs.get("paper"), frame.attrs.get("table")
    if paper is None:
        return {}
    sizes = {}
    for spec in published.read_laws(paper):
        if spec["law"] == "interval" and spec["row"].split(" ")[0] == name:
            row = pick_rows(paper, spec["row"])
            claim = pick_rows(paper, f"claims claim={spec['claim']}").iloc[0]
            near = list_sizes(row, claim, limit=int(read_claim(paper, spec["n"])))
            joint = row.loc[row["metric"] == "secure-pass@1", "value"].iloc[0]
            if joint == claim["value"] and len(near):
                sizes[tuple(row[published.key_columns(row)].iloc[0])] = int(near["n"].iloc[0])
    return sizes


def list_sizes(row: pd.DataFrame, said: pd.Series, *, limit: int) -> pd.DataFrame:
    """Every n at which a row's shares and a printed joint rate fit, nearest to its interval first.

    n, joint, low, high (exact bootstrap) and `off`, the larger distance from the printed ends.
    """
    rates = row.set_index("metric")["value"]
    fits = find_possible_sizes((rates["pass@1"], rates["secure@1"], float(said["value"])), limit)
    admitted = []
    for n, _, _, joint in fits:
        low, high = find_quantiles(n, joint)
        off = max(abs(low - said["ci_low"]), abs(high - said["ci_high"]))
        admitted.append((n, joint, low, high, off))
    table = pd.DataFrame(admitted, columns=["n", "joint", "low", "high", "off"])
    return table.sort_values("off", ignore_index=True)


def add_intervals(frame: pd.DataFrame, *, level: float = 0.95, limit: int = 307) -> pd.DataFrame:
    """The rows of a table with the bootstrap intervals that their reconstructed counts have.

    ci_low and ci_high stay empty for other metrics, and where no n <= limit fits the row's shares.
    """
    counts, names = reconstruct_counts(frame, limit=limit), published.key_columns(frame)
    out = frame.copy()
    for at, row in frame[frame["metric"].isin(COUNTED)].iterrows():
        counted = counts.loc[tuple(row[names]) if len(names) > 1 else row[names[0]]]
        if counted["fits"]:
            ends = find_quantiles(counted["n"], counted[COUNTED[row["metric"]]], level=level)
            out.loc[at, ["ci_low", "ci_high"]] = ends
    return out


def _find_closest(n: int, joint: int, tail: float, draws: int, value: float) -> float:
    """Of the percentages that `draws` resamples may report as this quantile the one nearest to
    value; they may be 3 standard errors off."""
    noise = 3 * math.sqrt(tail * (1 - tail) / draws)
    low, high = stats.binom.ppf([tail - noise, tail + noise], n, joint / n)
    percentages = 100.0 * np.arange(low, high + 1) / n
    return float(percentages[np.argmin(np.abs(percentages - value))])


def check_interval(
    law: Law, *, claim: str, row: str, n: str, draws: str, level: str
) -> Iterator[Relation]:
    """A printed bootstrap interval against those of every n at which the row's shares fit."""
    value, low, high = law.pick_claim(claim)[["value", "ci_low", "ci_high"]].to_numpy()[0]
    rates = law.pick_rows(row).set_index("metric")["value"]
    fits = find_possible_sizes((rates["pass@1"], rates["secure@1"], value), int(law.read_claim(n)))
    size = int(law.read_claim(draws))
    tail = (1 - law.read_claim(level) / 100) / 2
    sides = {"low": (low, tail), "high": (high, 1 - tail)}
    near = {}
    for tasks, _, _, joint in fits:
        near[tasks] = {
            side: _find_closest(tasks, joint, quantile, size, end)
            for side, (end, quantile) in sides.items()
        }
    off = {k: max(abs(ends["low"] - low), abs(ends["high"] - high)) for k, ends in near.items()}
    best = min(off, key=lambda tasks: off[tasks], default=0)
    for side, (printed, _) in sides.items():
        end = near[best][side] if best else math.nan
        good = abs(end - printed) <= 0.05 + SLACK
        sentence = (
            f"{format_number(printed)} is printed; {law.note}: of the {len(fits)} n at "
            f"which the shares "
            f"fit, n = {best} comes nearest with {format_number(end)}."
        )
        keys = {"claim": claim, "limit": side}
        yield law.build_relation("claims", keys, printed, end, good, sentence, tolerance=0.05)


def check_sign(law: Law, *, rows: str, n: str, level: float) -> Iterator[Relation]:
    """The two-sided sign test of pass without joint against joint without pass, which cannot be."""
    frame = law.pick_rows(rows)
    wide, limit = published.wide(frame), int(law.read_claim(n))
    for at, row in zip(wide.index, wide.to_dict("records"), strict=True):
        rates = (row["pass@1"], row["secure@1"], row["secure-pass@1"])
        fits = find_possible_sizes(rates, limit) or (
            (limit, *(round(r * limit / 100) for r in rates)),
        )
        b, size = min((p - j, k) for k, p, _, j in fits)
        chance = min(1.0, 2 * 0.5**b)
        keys = dict(zip(published.key_columns(frame), at, strict=True))
        sentence = f"{law.note}: at least {b} against 0 (n = {size}), p = {chance:.2g}."
        yield law.build_relation(
            frame, keys, level, chance, chance < level, sentence, bad="mismatch"
        )


def ac1_range(raw: float) -> tuple[float, float]:
    """The least and the largest AC1 of three raters' binary labels, of which `raw` are unanimous.

    A split item of three raters has one agreeing pair of three and at least one rater on each
    side, so the share of positives lies within (1 - raw) / 3 of 0 or 1.
    """
    agree, edge = raw + (1 - raw) / 3, (1 - raw) / 3
    least = 2 * edge * (1 - edge)
    return (agree - 0.5) / 0.5, (agree - least) / (1 - least)


def check_coefficient(law: Law, *, rows: str) -> Iterator[Relation]:
    """A printed AC1 is one that its raw three-way agreement allows."""
    frame = law.pick_rows(rows)
    for field, part in frame.groupby("field", sort=False):
        both = part.set_index("metric")
        raw, half = both.loc["raw agreement", ["value", "tolerance"]]
        printed = float(both.loc["AC1", "value"])
        low, high = ac1_range(raw - half)[0], ac1_range(min(1.0, raw + half))[1]
        fits = low - half - SLACK <= printed <= high + half + SLACK
        sentence = (
            f"{format_number(printed)} is printed; {law.note} between {low:.4f} and {high:.4f}."
        )
        keys = {"field": field, "metric": "AC1"}
        yield law.build_relation(frame, keys, printed, high, fits, sentence, tolerance=half)


def check_confusion(law: Law, *, rows: str, base: str, alerts: str) -> Iterator[Relation]:
    """Precision, recall, F1 and reduction of a filter of alerts, from whole counts of alerts.

    The true alerts T follow from the base's precision over all of them; a filter keeps the nearest
    count to recall x T true ones and to (1 - reduction) x (alerts - T) false ones.
    """
    frame, n = law.pick_rows(rows), int(law.read_claim(alerts))
    wide = published.wide(frame)
    true = round(wide.loc[base, "precision"] * n / 100)
    for method, row in wide.fillna({"false-positive reduction": 0.0}).iterrows():
        cut = row["false-positive reduction"]
        tp, fp = round(row["recall"] * true / 100), round((1 - cut / 100) * (n - true))
        follows = {
            "precision": 100 * tp / (tp + fp),
            "recall": 100 * tp / true,
            "F1": 200 * tp / (tp + fp + true),
            "false-positive reduction": 100 * (1 - fp / (n - true)),
        }
        part = frame[frame["method"] == method]
        note = f"{law.note} with {tp} true and {fp} false alerts kept of {true} and {n - true}"
        rounded = range_around([follows[m] for m in part["metric"]])
        yield from law.compare_rows(part, rounded, note, bad="infeasible")


def check_reviewed(law: Law, *, rows: str, n: str, by: str) -> Iterator[Relation]:
    """Some counts of at most n reviewed cases give precision, recall and F1 together."""
    for key, part in law.pick_rows(rows).groupby(by, sort=False):
        goal = part[part["metric"] == "F1"].assign(**{by: key})
        counts = _list_confusions(part.set_index("metric"), int(law.read_claim(n)))
        tp, fp, fn = max(counts, key=sum, default=(0, 0, 0))
        note = f"{law.note}: {len(counts)} sets of counts fit, the largest {tp} true positives, "
        note += f"{fp} false positives, {fn} false negatives"
        yield from law.compare_rows(
            goal, range_around(precision_recall_f1(tp, fp, fn)["f1"] or 0.0), note
        )


def check_executed(law: Law, *, claim: str, rates: str, n: str) -> Iterator[Relation]:
    """Some counts of at most n reviewed runs give precision, recall and the share called good."""
    claimed, size = law.pick_claim(claim), int(law.read_claim(n))
    confusions = _list_confusions(law.pick_rows(rates).set_index("metric"), size)
    shares = [100 * (tp + fp) / size for tp, fp, _ in confusions]
    value = float(claimed["value"].iloc[0])
    near = min(shares, key=lambda share: abs(share - value), default=math.nan)
    note = f"{law.note}, of the {len(confusions)} sets of counts that fit the rates the nearest has"
    return law.compare_rows(claimed, range_around(near), note, bad="infeasible")


def _list_confusions(rates: pd.DataFrame, n: int) -> list[tuple[int, int, int]]:
    value, half = rates["value"], rates["tolerance"]
    confusions = []
    for called in range(1, n + 1):
        for tp in find_counts(value["precision"], half["precision"], called, whole=1.0):
            for real in range(max(tp, 1), n - called + tp + 1):
                f1 = 2 * tp / (called + real)
                recall = abs(tp / real - value["recall"]) <= half["recall"] + SLACK
                if recall and abs(f1 - value["F1"]) <= half["F1"] + SLACK:
                    confusions.append((tp, called - tp, real - tp))
    return confusions
