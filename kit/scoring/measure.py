"""Computes every metric per group, with interval, bounds and counts, for `kit score` and tables.

Undecided tests leave a metric between two bounds; its interval then covers both bounds.
"""

import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass, replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from kit.core.errors import KitError
from kit.scoring import at_k, bootstrap, correction, reduce
from kit.scoring.bootstrap import Clusters, Terms, group_by_task, resample_metrics
from kit.scoring.correction import End, skew_of
from kit.scoring.reduce import POLICY, Policy, Table
from kit.scoring.stats import Interval, wilson_interval

Array = NDArray[Any]
POOLS = "Averages over different values of "  # begins the note on arms that --by left together
MOST_UNDECIDED = 0.05  # undecided share of a rate above which only bounds are reported
OPEN = (
    f"If more than {100 * MOST_UNDECIDED:g} % is undecided, there is no point estimate: the rate "
    "is between two bounds, and the interval covers both bounds."
)
HEADLINE = {"pass": "correct", "secure": "secure", "secure-pass": "correct and secure"}
MEANING = (
    "correct: passes every functional test; secure: passes every security test. Brackets: 95 % "
    "interval over tasks. All metrics: kit score RUN --all."
)
ENDS = ["bound_low", "bound_high"]


@dataclass(frozen=True)
class Metric:
    """form: "any" (at least one of k), "paper" and "defined" (secure@k_pass), "pooled", "mean"."""

    name: str
    form: str
    of: str  # functional, secure, joint
    k: int = 0  # 0 for a metric that is not at k


def list_metrics(axes: Sequence[str], k: Sequence[int]) -> list[Metric]:
    """All metrics that the tests of these axes allow, in the order of the papers' tables."""
    chosen = []
    for axis, name in (("functional", "PR"), ("secure", "SPR")):
        if axis in axes:
            chosen += [Metric(name, "pooled", axis), Metric(f"{name} (task mean)", "mean", axis)]
    for size in k:
        if "functional" in axes:
            chosen.append(Metric(f"pass@{size}", "any", "functional", size))
        if "secure" in axes:
            chosen.append(Metric(f"secure@{size}", "any", "secure", size))
        if len(axes) == 2:
            chosen.append(Metric(f"secure-pass@{size}", "any", "joint", size))
            chosen.append(Metric(f"secure@{size}_pass", "paper", "joint", size))
            chosen.append(Metric(f"secure@{size}_pass (defined)", "defined", "joint", size))
    return chosen


def compute_coverage(metric: Metric, sums: Mapping[str, Array], tasks: int) -> float:
    """The share of all `tasks` used in the estimate; sums: per task, of `estimate_counts`."""
    if metric.form in ("pooled", "mean"):
        return float(np.sum(sums[f"{metric.of}_tests"] > 0)) / tasks
    if metric.form == "defined":
        return float(np.sum(sums["functional_low"] >= metric.k)) / tasks
    return len(sums["functional_low"]) / tasks


def estimate_counts(rows: pd.DataFrame) -> pd.DataFrame:
    """`bound_counts` of counted samples for the point estimate: undecided counts as failed."""
    sides: dict[str, pd.Series] = {}
    for axis in ("functional", "secure", "joint"):
        decided = rows[axis].fillna(value=False)
        sides |= {f"{axis}_low": decided, f"{axis}_high": decided}
    return bound_counts(rows.assign(**sides, functional_undecided=0, secure_undecided=0))


def bound_counts(rows: pd.DataFrame) -> pd.DataFrame:
    """Per sample the lower (_low) and upper (_high) counts; uncounted samples span both."""
    out: dict[str, Any] = {}
    for axis in ("functional", "secure", "joint"):
        out[f"{axis}_low"] = rows[f"{axis}_low"]
        out[f"{axis}_high"] = rows[f"{axis}_high"]
    counted = rows["counted"]
    for axis in ("functional", "secure"):
        tests = rows[f"{axis}_tests"]
        passed = rows[f"{axis}_passed"]
        out[f"{axis}_tests"] = tests
        out[f"{axis}_passed_low"] = passed.where(counted, 0)
        out[f"{axis}_passed_high"] = (passed + rows[f"{axis}_undecided"]).where(counted, tests)
    # functional but insecure: as few samples as possible, as many as possible
    out["insecure_low"] = rows["functional_low"] & ~rows["secure_high"]
    out["insecure_high"] = rows["functional_high"] & ~rows["secure_low"]
    return pd.DataFrame(out, index=rows.index).astype(int)


def undecided_share(metric: Metric, sums: Mapping[str, Any]) -> float:
    """The undecided share of a metric's denominator, from sums of `bound_counts` over all samples.

    The denominator is tests (PR, SPR), samples (at-k) or functional samples (secure@k_pass).
    """
    axis = metric.of
    if metric.form in ("pooled", "mean"):
        n = sums[f"{axis}_tests"]
        open_ = sums[f"{axis}_passed_high"] - sums[f"{axis}_passed_low"]
    elif metric.form == "any":
        n = sums["n"]
        open_ = sums[f"{axis}_high"] - sums[f"{axis}_low"]
    else:
        n = sums["functional_high"]
        open_ = n - sums["joint_low"] - sums["insecure_low"]
    return float(open_ / n) if n else 0.0


def bound_metrics(
    chosen: Sequence[Metric],
    possible: pd.DataFrame,
    task: Array,
    *,
    rng: np.random.Generator,
    n_boot: int,
    level: float,
    within: bool,
) -> Iterator[tuple[tuple[float, float], Interval]]:
    """Per metric its bounds, from counts and each sample's task, and the interval around them."""
    data = group_by_task(possible.to_numpy(), task)
    sides = ("low", "high") if _has_width(possible) else ("low",)
    terms = terms_of(chosen, list(possible), data, sides)
    tasks = len(data.names)
    parts = terms(data.sums, data.sizes).reshape(tasks, len(sides), -1, 2)
    bounds = bootstrap.compute_metrics(data, terms).reshape(len(sides), -1)
    drawn = np.full((1, len(sides), len(chosen)), np.nan)
    unit = "none"
    if tasks > 1:
        drawn = resample_metrics(data, terms, rng=rng, n_boot=n_boot, within=within)
        drawn = drawn.reshape(len(drawn), len(sides), -1)
        unit = "task, sample" if within else "task"
    for i in range(len(chosen)):
        low, high = (
            End(float(bounds[s, i]), drawn[:, s, i], skew_of(*parts[:, s, i].T)) for s in (0, -1)
        )
        around = correction.cover_bounds(low, high, level=level, unit=unit)
        if tasks > 1 and (low.value == 1.0 or high.value == 0.0):
            # All tasks agree: a bootstrap interval has no width.
            n = int((parts[:, 0, i, 1] > 0).sum())
            passed = n if low.value == 1.0 else 0
            wide = wilson_interval(passed, n, level=level, unit="task (Wilson)")
            around = replace(wide, estimate=around.estimate)
        yield (low.value, high.value), around


def _has_width(counts: pd.DataFrame) -> bool:
    """Whether a lower count differs from its upper one: whether any test is undecided."""
    for column in counts:
        low = str(column)
        if low.endswith("_low") and not counts[low].equals(counts[low[:-3] + "high"]):
            return True
    return False


def by_name(names: Sequence[str], sums: Array) -> dict[str, Array]:
    """Sums (..., columns) by the names of the columns."""
    return dict(zip(names, np.moveaxis(sums, -1, 0), strict=True))


def terms_of(
    chosen: Sequence[Metric], names: Sequence[str], data: Clusters, sides: Sequence[str] = ("low",)
) -> Terms:
    """For the bootstrap of columns of these names: every metric at the first side, then the next.

    What is returned has the form (..., tasks, metrics, 2).
    """
    whole = by_name(names, data.sums)
    ends = list(product(sides, chosen))
    most = [_find_turning_point(metric, whole, side) for side, metric in ends]

    def compute_terms(sums: Array, n: Array) -> Array:
        n = np.broadcast_to(n, sums.shape[:-1])
        named = by_name(names, sums)
        pairs = []
        for (side, metric), point in zip(ends, most, strict=True):
            pair = _end_terms(metric, named, n, side, point)
            pairs.append(np.stack(pair, axis=-1))
        return np.stack(pairs, axis=-2)

    return compute_terms


def _end_terms(
    metric: Metric, sums: Mapping[str, Array], n: Array, end: str, most: float
) -> tuple[Array, Array]:
    """Per task a pair whose sums over tasks have the end of the metric's bounds as their ratio.

    sums: of the columns of `bound_counts`; end: "low" or "high"; most: of `_find_turning_point`,
    for "defined".
    """
    if metric.form in ("pooled", "mean"):
        passed = sums[f"{metric.of}_passed_{end}"]
        tests = sums[f"{metric.of}_tests"]
        if metric.form == "pooled":
            return passed, tests
        return np.where(tests > 0, passed / np.maximum(tests, 1), 0.0), tests > 0
    if metric.form == "any":
        return at_k.estimate(n, sums[f"{metric.of}_{end}"], k=metric.k), np.ones(n.shape)
    if metric.form == "paper":
        good, bad = _split_functional_counts(sums, end)
        return at_k.secure_at_k_pass(good + bad, good, k=metric.k), np.ones(n.shape)
    values, surely, maybe = _evaluate_defined_metric(metric, sums, end)
    near = values <= most + 1e-12 if end == "low" else values >= most - 1e-12
    taken = surely | (maybe & near)
    return np.where(taken, values, 0.0), taken


def _find_turning_point(metric: Metric, sums: Mapping[str, Array], end: str) -> float:
    """The end of a "defined" metric over these tasks: a task that may or may not count counts
    where its value lies beyond. NaN for the other forms."""
    if metric.form != "defined":
        return float("nan")
    values, surely, maybe = _evaluate_defined_metric(metric, sums, end)
    if end == "low":
        return _least_mean(values[surely], values[maybe])
    return 1 - _least_mean(1 - values[surely], 1 - values[maybe])


def _split_functional_counts(sums: Mapping[str, Array], end: str) -> tuple[Array, Array]:
    """Samples that are functional and secure, and functional and insecure, at an end."""
    return sums[f"joint_{end}"], sums["insecure_low" if end == "high" else "insecure_high"]


def _evaluate_defined_metric(
    metric: Metric, sums: Mapping[str, Array], end: str
) -> tuple[Array, Array, Array]:
    """Per task the value at an end, whether it is surely defined, whether it may be."""
    good, bad = _split_functional_counts(sums, end)
    values = at_k.secure_at_k_pass_defined(good + bad, good, k=metric.k)
    # Too few of the wanted kind for k: the others make up k, and one good sample among k suffices.
    values = np.where(np.isnan(values), 1 if end == "low" else good > 0, values)
    surely = sums["functional_low"] >= metric.k
    return values, surely, (sums["functional_high"] >= metric.k) & ~surely


def _least_mean(fixed: Array, optional: Array) -> float:
    """The least mean over all of `fixed` and any of `optional`; NaN where there is neither."""
    ordered = np.concatenate([fixed, np.sort(optional)])
    start = max(len(fixed), 1)
    if len(ordered) < start:
        return float("nan")
    return float(min((np.cumsum(ordered) / np.arange(1, len(ordered) + 1))[start - 1 :]))


def measure(
    frame: Table,
    *,
    by: Sequence[str] | None = None,
    k: Sequence[int] = (1,),
    rng: np.random.Generator,
    n_boot: int = 5000,
    level: float = 0.95,
    within: bool = True,
    policy: Policy = POLICY,
) -> pd.DataFrame:
    """One row per group, metric and k: estimate, interval, bounds, counts of samples, a note.

    by: columns; None groups by all columns that distinguish arms, so nothing is pooled.
    PR and SPR over pooled tests, and "(task mean)"; pass@k, secure@k, secure-pass@k; secure@k_pass
    (0 where nothing passes: CodeGuard+ Definition 3.4) and "(defined)". All are shares in [0, 1].
    bound_low, bound_high: the rate if all undecided tests and infrastructure failures fail, or
    pass. undecided: their share of the denominator. The estimate counts undecided tests as failed
    and omits samples with infrastructure failures; if undecided exceeds 0.05, it is NaN unless the
    bounds are equal.
    low, high: cover any true value within the bounds (Imbens and Manski 2004), by a bootstrap over
    tasks, then samples within (within=False: tasks only).
    frame: the tidy table, or an iterable of parts of whole samples.
    coverage: the share of tasks used in the estimate. By "cwe": security tests only.
    """
    sizes = list(k) if isinstance(k, Sequence) else []
    are_valid = bool(sizes) and all(isinstance(size, int) and size >= 1 for size in sizes)
    if not are_valid or n_boot < 1 or not 0 < level < 1:
        raise KitError(
            f"Got k = {k}, n_boot = {n_boot}, level = {level}. Use whole numbers from 1 on "
            "and a level between 0 and 1, as k=(1, 5), n_boot=5000, level=0.95."
        )
    split = ["cwe"] if by and "cwe" in by else []
    rows = reduce.summarize_samples(frame, policy=policy, split=split)
    by = reduce.select_arm_columns(rows) if by is None else by
    reduce.check_columns(rows, by)
    parts = []
    for key, group in split_groups(rows, by):
        same = deepcopy(rng)  # the groups' draws: equal data have equal intervals
        cells = _measure_group(group, tuple(k), rng=same, n_boot=n_boot, level=level, within=within)
        names = dict(zip(by, key, strict=True))
        numbers = reduce.count_stages(group, ()).iloc[0].to_dict()
        arms = [column for column in reduce.arm_columns(group) if column not in by]
        mixed = [column for column in arms if group[column].nunique(dropna=False) > 1]
        for cell in cells:
            note = cell["note"]
            if mixed:  # though nobody asked for it
                note = f"{note} {POOLS}{', '.join(mixed)}.".lstrip()
            parts.append({**names, **cell, **numbers, "note": note})
    return pd.DataFrame(parts)


def split_groups(
    rows: pd.DataFrame, by: Sequence[str]
) -> Iterator[tuple[tuple[Any, ...], pd.DataFrame]]:
    """The rows of each group, in order of appearance; all rows if `by` is empty."""
    if not by:
        return iter([((), rows)])
    return iter(rows.groupby(list(by), sort=False, dropna=False, observed=True))


def _measure_group(group: pd.DataFrame, k: tuple[int, ...], **options: Any) -> list[dict[str, Any]]:
    axes = [axis for axis in reduce.AXES if group[f"{axis}_tests"].any()]
    chosen = list_metrics(axes, k)
    task = group.groupby(["suite", "task"], sort=False).ngroup().to_numpy()
    tasks = int(task.max()) + 1
    counted = group["counted"].to_numpy()
    possible = bound_counts(group)
    whole = {"n": len(group), **possible.sum()}
    sure = estimate_counts(group[counted])
    data = group_by_task(sure.to_numpy(), task[counted]) if counted.any() else None
    sums = by_name(list(sure), data.sums) if data else {}
    cells = []
    with warnings.catch_warnings():  # reported once, in the note
        warnings.simplefilter("ignore", at_k.TooFewSamples)
        intervals = bound_metrics(chosen, possible, task, **options)
        point: Any = [np.nan] * len(chosen)
        if data:
            point = bootstrap.compute_metrics(data, terms_of(chosen, list(sure), data))
        for m, p, (bounds, around) in zip(chosen, point, intervals, strict=True):
            open_ = undecided_share(m, whole)
            estimate = float(p) if open_ <= MOST_UNDECIDED else np.nan
            if np.isnan(estimate) and bounds[0] == bounds[1]:  # what is undecided cannot matter
                estimate = bounds[0]
            cells.append(
                {
                    "metric": m.name,
                    "k": m.k or None,
                    **asdict(replace(around, estimate=estimate)),
                    "bound_low": bounds[0],
                    "bound_high": bounds[1],
                    "undecided": open_,
                    "tasks": tasks,
                    "coverage": compute_coverage(m, sums, tasks) if data else 0.0,
                    "note": _explain_missing_value(m, data, sums, tasks),
                }
            )
    return cells


def _explain_missing_value(
    m: Metric, data: Clusters | None, sums: Mapping[str, Any], tasks: int
) -> str:
    """The reason for a missing value or interval; otherwise an empty text."""
    if data is None:
        return "No sample was judged."
    if tasks < 2:
        return "One task: no interval over tasks."
    if m.form == "any":
        return at_k.too_few(data.sizes, k=m.k)
    if m.form == "paper":
        passed = sums["functional_low"]
        return at_k.too_few(passed[passed > 0], k=m.k)
    return ""


def select_headline(scores: pd.DataFrame) -> pd.DataFrame:
    """The rows of pass@k, secure@k and secure-pass@k, also over a part of the samples, such as
    "pass@1 over met draws"; all rows if the suite has none of these.

    words: the metric's meaning; "" for other metrics.
    """
    names = scores["metric"].str.extract(r"^([a-z-]+)@\d+(?: over .+)?$")[0]
    words = names.map(HEADLINE).fillna("")
    return scores.assign(words=words)[words.ne("") if words.any() else slice(None)]


def group_columns(scores: pd.DataFrame) -> list[str]:
    """The columns by which `measure` grouped: those left of `metric`."""
    return list(scores.columns[: scores.columns.get_loc("metric")])


def format_scores(scores: pd.DataFrame, *, whole: bool = False) -> str:
    """The result of `measure` as text, in per cent with intervals; each note once, at the end.

    whole: all metrics; else those of `select_headline`. A note names its groups unless it is of
    all.
    """
    by = group_columns(scores)
    lines = []
    names = []
    names_of_note: dict[str, list[str]] = {}
    for key, group in split_groups(scores, by):
        levels = ["not set" if pd.isna(value) else value for value in key]
        parts = [f"{column} {level}" for column, level in zip(by, levels, strict=True)]
        name = ", ".join(parts) or "all"
        names.append(name)
        lines.append(f"{name}: {_describe_samples(group.iloc[0])}")
        rows = group.assign(words="") if whole else select_headline(group)
        width = 20 if rows["words"].any() else 0
        notes: list[str] = []
        for _, row in rows.iterrows():
            lines.append(f"  {row['words']:<{width}}{row['metric']:<30}{format_estimate(row)}")
            notes += map(str.strip, re.split(f"(?={POOLS})", row["note"]))
        if rows.apply(_is_open, axis=1).any():
            notes.append(OPEN)
        if width:
            notes.append(MEANING)
        for note in dict.fromkeys(filter(None, notes)):
            names_of_note.setdefault(note, []).append(name)
    for note, noted in names_of_note.items():
        where = "" if noted == names else f" ({'; '.join(noted)})"
        lines.append(f"note{where}: {note}")
    return "\n".join(lines)


def _describe_samples(row: pd.Series) -> str:
    """How many tasks a group has, and how many samples reached each stage."""
    stages = []
    for stage in reduce.COUNTS:
        if row[stage]:
            stages.append(f"{row[stage]} {stage.replace('_', ' ')}")
    return f"{row['tasks']} tasks; samples: {', '.join(stages)}"


def format_estimate(row: pd.Series) -> str:
    """The point estimate and its interval; if too much is undecided, the bounds and theirs."""
    around = ""
    if not pd.isna(row["low"]):
        around = f"  [{100 * row['low']:.1f}, {100 * row['high']:.1f}]"
    has_bounds = not pd.isna(row["bound_low"])
    bounds = f"between {100 * row['bound_low']:.1f} and {100 * row['bound_high']:.1f}"
    if _is_open(row) and has_bounds:
        return f"{bounds} %{around}  {100 * row['undecided']:.0f} % undecided"
    point = " no value" if pd.isna(row["estimate"]) else f"{100 * row['estimate']:>5.1f} %"
    is_exact = row["bound_low"] == row["bound_high"] == row["estimate"]
    if has_bounds and not is_exact:
        around += f"  {bounds}"
    return point + around


def _is_open(row: pd.Series) -> bool:
    return bool(pd.isna(row["estimate"]) and row.get("undecided", 0.0) > MOST_UNDECIDED)


def convert_to_percent(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of `measure` as figures and printed tables have them: value, ci_low, ci_high, bounds, %.

    Rows without an estimate are returned as they are.
    """
    if "estimate" not in rows or "value" in rows:
        return rows
    names = {"estimate": "value", "low": "ci_low", "high": "ci_high"}
    renamed = rows.rename(columns=names).assign(unit="%")
    shares = renamed.columns.intersection([*names.values(), *ENDS])
    return renamed.assign(**{column: 100 * renamed[column] for column in shares})


def separate_bounds(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of which `format_estimate` is a number: the reverse of `insert_bounds`."""
    open_ = rows.get("value", pd.Series(dtype=float)).map(type).eq(tuple)
    if not open_.any():
        return rows
    ends = pd.DataFrame(rows.loc[open_, "value"].tolist(), rows.index[open_], ENDS)
    return rows.assign(value=rows["value"].mask(open_).astype(float), **ends.reindex(rows.index))


def insert_bounds(rows: pd.DataFrame, column: str) -> pd.Series:
    """The column with the pair of bounds in the place of each missing value that has bounds."""
    if not rows.columns.intersection(ENDS).size:
        return rows[column]
    open_ = rows[column].isna() & rows[ENDS].notna().all(axis=1)
    pairs = pd.Series(list(rows[ENDS].itertuples(index=False, name=None)), rows.index, dtype=object)
    return pairs.where(open_, rows[column]) if open_.any() else rows[column]
