"""Scores of build, tests and memory safety (OSS-Bench, section 2), and the tables behind them.

Scores run from 0 to 100; in the chain a score counts only as far as the one before it. A run that
only asked where functions come from (section 5.5) has a table of its own and its shares.
"""

import math
import operator
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from kit.core.errors import KitError
from kit.core.records import Sample, content_key
from kit.core.store import Store, slot_of
from kit.oracle.sanitizers import CLASSES
from kit.scoring import measures
from kit.scoring.stats import Interval, wilson_interval
from kit.systems.ossbench.source import index_of

EDITS = [
    "slot",
    "function_index",
    "name",
    "path",
    "function",
    "key",
    "build",
    "why",
    "changed",
    "differing",
    "mode",
    "model",
    "answer",
]
ITERATIONS = (
    "key purpose number mode edits executed rate passed planned ended note digest modules "
    "answer fuzzed"
).split()
ALERTS = ["iteration", "key", "kind", "class", "edits", "purpose", "number", "answer"]
ANSWERS_APART = 10**9  # an iteration of the edits of answer 2 has a number of 2 * 10**9 and more
BASELINES = ("baseline", "fuzz baseline")
TESTED = (*BASELINES, "sample", "fuzz")  # kinds of trials that run the tests, or a fuzzer
DEDUCTION = {"sqlite": 0.19}  # points per alert, the paper's
OTHER_DEDUCTION = 0.69  # the paper's of PHP
PROBED = ["function_index", "name", "path", "recognised", "named", "answer"]
PROBE = "probe"  # the kind of trial that keeps a row; nothing is executed for it
LEVEL = 0.95
WEIGHTS = (1 / 3, 1 / 3, 1 / 3, 0.1)  # of build, tests and memory, and of a changed line
Z = 1.959963984540054  # of a normal 95% interval


@dataclass(frozen=True)
class Scoring:
    """What scores are made of, as the settings of a run say it; by default the paper's numbers.

    weights: of build, tests, memory, and of a changed line. deduction: points per alert.
    least_changed: lines a function, below which a model is not ranked. lines: the column of edits
    that counts them.
    """

    weights: tuple[float, ...]
    deduction: float
    least_changed: float
    lines: str

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> "Scoring":
        """The scoring of a run with these settings; those that it lacks are the defaults."""
        deduction = settings.get("deduction")
        if deduction is None:
            deduction = DEDUCTION.get(settings["project"], OTHER_DEDUCTION)
        lines = "differing" if settings.get("scale") == "paper" else "changed"
        weights = parse_weights(settings.get("weights") or "")
        return cls(weights, deduction, settings.get("least_changed", 0.5), lines)


def parse_weights(text: str) -> tuple[float, ...]:
    """W1,W2,W3,WD as numbers of 0 to 1; "" is an equal share for each score and 0.1 a line."""
    if not text:
        return WEIGHTS
    try:
        weights = tuple(map(float, text.split(",")))
    except ValueError:
        weights = ()
    if len(weights) != len(WEIGHTS) or not all(0 <= weight <= 1 for weight in weights):
        raise KitError(f"Weights {text!r} are not four numbers of 0 to 1, such as 0.4,0.4,0.2,0.1.")
    return weights


class Chained(NamedTuple):
    """c1, c2, c3 of the paper."""

    compilability: np.ndarray
    functional: np.ndarray
    memory: np.ndarray


def compute_chain(s1: ArrayLike, s2: ArrayLike, s3: ArrayLike) -> Chained:
    """c1 = s1, c2 = s2 c1 / 100, c3 = s3 c2 / 100; nothing counts after a score of 0."""
    first = np.asarray(s1, dtype=float)
    second = _scale_score(s2, first)
    return Chained(first, second, _scale_score(s3, second))


def _scale_score(score: ArrayLike, before: np.ndarray) -> np.ndarray:
    """score before / 100; 0 where `before` is, though no score could be had: nothing was built."""
    return np.where(before == 0, 0.0, np.asarray(score, dtype=float) * before / 100)


def average_with_bonus(
    s1: ArrayLike,
    s2: ArrayLike,
    s3: ArrayLike,
    *,
    bonus: ArrayLike,
    weights: Sequence[float] = WEIGHTS,
) -> np.ndarray:
    """w1 c1 + w2 c2 + w3 c3 + bonus; bonus = w_d d is what the paper's column Delta holds.

    Table 1 follows only if that column is added as it is printed: with w_d = 0.1 once more, every
    row of it is off.
    """
    total = sum(map(operator.mul, weights, compute_chain(s1, s2, s3)))
    return np.asarray(total + np.asarray(bonus, dtype=float))


def delta_bonus(changed_lines: ArrayLike, *, weight: float = WEIGHTS[-1]) -> float:
    """w_d d: the mean number of changed lines per function, weighted; NaN for no function."""
    lines = np.asarray(changed_lines, dtype=float)
    return float(weight * lines.mean()) if lines.size else math.nan


def build_success_rate(*, success: int, failure: int) -> float:
    """s1 = 100 success / (success + failure); what cannot change the build is in neither."""
    valid = success + failure
    return 100 * success / valid if valid else math.nan


def memory_safety(*, alerts: float, leaks: float, deduction: float) -> float:
    """s3 = 100 - deduction (alerts + leaks / 2), and never below 0. `alerts` without the leaks."""
    return max(0.0, 100 - deduction * (alerts + leaks / 2))


def exposure_rate(*, alerts: int, executed: int) -> float:
    """Alerts per edit whose body ran at least once; NaN where none did."""
    return alerts / executed if executed else math.nan


def interval_width(rates: ArrayLike) -> float:
    """Width of the normal 95% interval of a mean of iterations; infinite below two of them."""
    values = np.asarray(rates, dtype=float)
    if values.size < 2:
        return math.inf
    return float(2 * Z * values.std(ddof=1) / math.sqrt(values.size))


@dataclass(frozen=True)
class Tables:
    """A run as its notebook reads it. meta: the run's notes, and its settings among them.

    edits: a row for each answer, `answer` says which of its function. iterations: one for each run
    of the tests or of a fuzzer, with edits of equal `answer`; `modules` counts failed tests by
    module, `digest` is equal where the same ones failed.
    alerts: one for each alert and iteration, without those that the original raises.
    """

    meta: dict[str, Any]
    edits: pd.DataFrame
    iterations: pd.DataFrame
    alerts: pd.DataFrame
    planned: int


def select_answer(tables: Tables, answer: int) -> Tables:
    """The tables of the functions' first answers (0), or of later ones, and what was run with them.

    The original's runs are those of the first.
    """
    parts = {}
    for name in ("edits", "iterations", "alerts"):
        table = getattr(tables, name)
        parts[name] = table[table["answer"] == answer]
    return replace(tables, **parts)


def load_tables(run: str | Path) -> Tables:
    """The tables of a run, by its name, folder or file."""
    with Store(run, write=False) as store:
        return read_tables(store)


def read_tables(store: Store) -> Tables:
    """The tables of an open run."""
    meta = store.meta()
    trials = [t for t in store.trials() if t["kind"] in TESTED]
    rows_of_runs = []
    for trial in trials:
        place = {"number": trial["position"], "answer": trial["position"] // ANSWERS_APART}
        rows_of_runs.append(trial | place | {"purpose": trial["kind"]})
    runs = pd.DataFrame(rows_of_runs, columns=ITERATIONS)
    rows = _read_alerts(store, runs)
    clean = rows["purpose"].isin(BASELINES)
    fuzzed = rows[rows["purpose"] == "fuzz baseline"].drop_duplicates("key")
    counts = fuzzed["class"].value_counts().sort_index().to_dict()
    alerts = rows[~rows["key"].isin(set(rows.loc[clean, "key"])) & ~clean]
    return Tables(
        {**meta.get("settings", {}), **meta, "fuzz_baseline": counts},
        _read_edits(store),
        runs,
        alerts.reset_index(drop=True),
        store.counts()[0],
    )


def _read_alerts(store: Store, runs: pd.DataFrame) -> pd.DataFrame:
    """Every finding with the iteration that raised it, and the functions whose edits it names."""
    index_by_slot = {slot_of(s): index_of(s.task) for s in store.samples()}
    rows = store.findings().rename(columns={"trial": "iteration", "rule": "class"})
    edits = []
    for slots in rows["slots"]:
        edits.append(sorted({index_by_slot[s] for s in slots if s in index_by_slot}))
    rows["edits"] = edits
    numbers = runs[["key", "purpose", "number", "answer"]].rename(columns={"key": "iteration"})
    alerts = rows.merge(numbers, on="iteration")[ALERTS]
    return alerts.sort_values(["purpose", "number", "key"], kind="stable")


def _read_edits(store: Store) -> pd.DataFrame:
    modes: dict[int, Mapping[str, str]] = {}  # answer -> how the edit of each function is in force
    for plan in store.trials("schemata"):
        modes[plan["position"] // ANSWERS_APART] = plan["modes"]
    rows = []
    for sample in store.samples():
        slot = slot_of(sample)
        evidence, _ = store.cell(slot, "build")
        if evidence is None or evidence.status.is_infrastructure_failure:
            continue
        facts = evidence.observed.value
        row = {"slot": slot, "model": sample.model, "answer": sample.index}
        row["key"] = store.evidence_key(slot, "build")
        row["mode"] = modes.get(sample.index, {}).get(str(facts["function_index"]), "")
        rows.append(row | facts)
    table = pd.DataFrame(rows, columns=EDITS)
    return table.sort_values("function_index", kind="stable", ignore_index=True)


def evaluate_tables(tables: Tables) -> dict[str, Any]:
    """Raw scores s1 to s3, chained ones, Delta, final score; with the counts they rest on.

    Of several answers a function s3 is that of the mean number of alerts that one of them raises.

    An answer without its function counts as a failed build. `ranked` is false below the least mean
    of changed lines.
    """
    scoring = Scoring.of(tables.meta)
    counts = tables.edits["build"].value_counts()
    success, failure = int(counts.get("success", 0)), int(counts.get("failure", 0))
    runs = sampled_iterations(tables)
    alerts = sampled_alerts(tables)
    alerts_by_class = count_by_class(alerts)
    leaks = alerts_by_class["leak"]
    s1 = build_success_rate(success=success, failure=failure)
    s2 = 100 * float(runs["rate"].mean())
    answers = max(1, tables.edits["answer"].nunique())
    s3 = memory_safety(
        alerts=(len(alerts) - leaks) / answers,
        leaks=leaks / answers,
        deduction=scoring.deduction,
    )
    answered = tables.edits[tables.edits["build"] != "unrelated"]
    lines = float(answered[scoring.lines].mean())
    bonus = delta_bonus(answered[scoring.lines], weight=scoring.weights[-1])
    executed = count_edits(runs, "executed")
    return {
        "planned": tables.planned,
        "checked": len(tables.edits),
        "success": success,
        "failure": failure,
        "unrelated": int(counts.get("unrelated", 0)),
        "iterations": len(runs),
        "compilability": s1,
        "functional": s2,
        "memory": s3,
        "chained": [float(c) for c in compute_chain(s1, s2, s3)],
        "changed lines": lines,
        "delta": bonus,
        "score": float(average_with_bonus(s1, s2, s3, bonus=bonus, weights=scoring.weights)),
        "ranked": lines >= scoring.least_changed,
        "interval width": 100 * interval_width(runs["rate"]),
        "alerts": alerts_by_class,
        "alerts by fuzzing": count_fuzz_alerts(tables),
        "modes": count_agreements(tables),
        "executed edits": executed,
        "alerts per executed edit": exposure_rate(alerts=len(alerts), executed=executed),
    }


def count_edits(runs: pd.DataFrame, column: str) -> int:
    """The edits in a column of these iterations: `edits` in force, or `executed` ones."""
    pairs = zip(runs["answer"], runs[column], strict=True)
    return len({(answer, index) for answer, indices in pairs for index in indices})


def sampled_iterations(tables: Tables) -> pd.DataFrame:
    """The sampled iterations, each number once: by switches where both modes were run."""
    rows = tables.iterations[tables.iterations["purpose"] == "sample"]
    return rows.sort_values(["number", "mode"]).drop_duplicates("number", keep="last")


def sampled_alerts(tables: Tables) -> pd.DataFrame:
    """The unique alerts of those iterations, where each was raised first."""
    alerts = tables.alerts[tables.alerts["iteration"].isin(sampled_iterations(tables)["key"])]
    return alerts.sort_values("number", kind="stable").drop_duplicates(["answer", "key"])


def count_by_class(alerts: pd.DataFrame) -> dict[str, int]:
    """Number of these alerts by class, in the order of CLASSES."""
    counts = alerts["class"].value_counts()
    return {name: int(counts.get(name, 0)) for name in CLASSES}


def count_agreements(tables: Tables) -> dict[str, int]:
    """Iterations run both by switches and by a rebuild, and how many failed the same tests."""
    rows = tables.iterations[tables.iterations["purpose"] == "sample"]
    digests = rows.groupby("number")["digest"].agg(["size", "nunique"])
    twice = digests[digests["size"] == 2]
    return {"compared": len(twice), "agree": int((twice["nunique"] == 1).sum())}


def count_fuzz_alerts(tables: Tables) -> dict[str, int]:
    """Unique alerts that fuzzing raised, the original's left out; empty if none was done."""
    if not (tables.iterations["purpose"] == "fuzz").any():
        return {}
    alerts = tables.alerts[tables.alerts["purpose"] == "fuzz"].drop_duplicates("key")
    new = set(alerts["key"]) - set(sampled_alerts(tables)["key"])
    totals = {"total": len(alerts), "not raised by the tests": len(new)}
    return count_by_class(alerts) | totals


def describe_fuzzing(tables: Tables) -> str:
    """How many inputs each fuzzed program tried with edits, and the most edges that it reached."""
    inputs: Counter[str] = Counter()
    edges: dict[str, int] = {}
    for counts in tables.iterations.loc[tables.iterations["purpose"] == "fuzz", "fuzzed"].dropna():
        for name, (tried, reached) in counts.items():
            inputs[name] += tried
            edges[name] = max(reached, edges.get(name, 0))
    parts = []
    for name, tried in inputs.items():
        reached = f" ({edges[name]} edges)" if edges[name] else ""
        parts.append(f"{name} {tried} inputs{reached}")
    return f" Fuzzed: {', '.join(parts)}." if parts else ""


def has_project_name(answer: str, project: str) -> bool:
    """Whether the answer names the project, in whatever case."""
    return project.lower() in answer.lower()


def keep_probe(
    store: Store,
    samples: Iterable[Sample],
    rows: Mapping[int, Mapping[str, Any]],
    project: str,
    markers: Iterable[str] = (),
) -> None:
    """Write down per answer whether it names the project, and whether its function's text does.

    markers: words by which everybody knows the project; a text with one names it too.
    """
    telling = (project, *markers)
    for sample in samples:
        index = index_of(sample.task)
        row = rows[index]
        text = row["comment"] + row["original_function"]
        facts = {n: row[n] for n in ("function_index", "name", "path")} | {
            "recognised": has_project_name(sample.response, project),
            "named": any(has_project_name(text, word) for word in telling),
            "answer": sample.response,
        }
        store.put_trial(content_key(PROBE, slot_of(sample)), PROBE, index, facts)


def probe_of(run: str | Path) -> pd.DataFrame:
    """The rows of a probe that was made, by the run's name or folder."""
    with Store(run, write=False) as store:
        rows = read_probe(store)
    if rows.empty:
        raise KitError(f"{run} has no contamination probe. Run with --prompt contamination.")
    return rows


def read_probe(store: Store) -> pd.DataFrame:
    """One row per answered function; none where the run asked for edits."""
    return pd.DataFrame(store.trials(PROBE), columns=PROBED)


def count_recognitions(rows: pd.DataFrame) -> dict[str, int]:
    """Counts; what counts as memory are functions whose text does not name the project."""
    unnamed = rows[~rows["named"].astype(bool)]
    return {
        "asked": len(rows),
        "recognised": int(rows["recognised"].sum()),
        "without the name in the text": len(unnamed),
        "of these recognised": int(unnamed["recognised"].sum()),
    }


def measure_run(
    store: Store, *, by: Sequence[str], k: Sequence[int], rng: np.random.Generator, n_boot: int
) -> pd.DataFrame:
    """One row per score; of a run that only asked, one per share of recognised functions.

    compilability: Wilson's interval over edits; functional test: a bootstrap over iterations; the
    others have none. Of several answers a function the shares of kit.scoring.measures follow, such
    as pass@k. bound_low, bound_high: edits that were not checked fail, or build. coverage:
    the share of functions with an edit that was checked, put to the tests, or ran. chained: each
    times those before it. Delta: 0.1 for each changed line, in points as the paper's column.
    """
    frame = store.frame()
    # iterations mix all edits of a run, so it has one score
    mixed = [c for c in by if c not in frame or frame[c].nunique(dropna=False) > 1]
    if mixed:
        raise KitError(
            f"A run of a C project has one score, not one per {', '.join(mixed)}. Give each arm "
            "a run of its own (--run), or pool them with --by model."
        )
    names = {c: frame[c].iloc[0] for c in by}
    numbers = measures.counts(frame).iloc[0].to_dict()
    probe = read_probe(store)
    if probe.empty:
        rows = _score_rows(read_tables(store), rng, n_boot)
    else:
        rows = _recognition_rows(probe, store.counts()[0])
    table = pd.DataFrame([{**names, **row, **numbers, "note": row["note"]} for row in rows])
    if probe.empty and frame["sample"].nunique() > 1:
        of_answers = measures.measure(store.frames(), by=by, k=k, rng=rng, n_boot=n_boot)
        table = pd.concat([table, of_answers], ignore_index=True)
    return table


def _build_row(
    name: str,
    interval: Interval,
    tasks: int,
    coverage: float,
    note: str = "",
    bounds: tuple[float, float] | None = None,
) -> dict[str, Any]:
    low, high = bounds or (interval.estimate, interval.estimate)
    return {
        "metric": name,
        "k": None,
        **asdict(interval),
        "bound_low": low,
        "bound_high": high,
        "tasks": tasks,
        "coverage": coverage,
        "note": note,
    }


def _point_interval(points: float) -> Interval:
    return Interval(points / 100, np.nan, np.nan, LEVEL, 0, "none")


def _share_interval(count: int, total: int, unit: str) -> Interval:
    """Wilson's interval of a share; NaN where there is nothing to take a share of."""
    if not total:
        return _point_interval(np.nan)
    return wilson_interval(count, total, unit=f"{unit} (Wilson)")


def _score_rows(tables: Tables, rng: np.random.Generator, n_boot: int) -> list[dict[str, Any]]:
    values = evaluate_tables(tables)
    runs = sampled_iterations(tables)
    tasks = tables.planned
    success, failure = values["success"], values["failure"]
    built = success + failure
    compilability = _share_interval(success, built, "edit")
    bounds = (success / tasks, (tasks - failure) / tasks)
    functional = _bootstrap_rate(runs["rate"], values["functional"], rng, n_boot)
    _, tests, memory = map(_point_interval, values["chained"])

    checked = built / tasks
    in_force = count_edits(runs, "edits")
    tested = in_force / tasks
    ran = values["executed edits"] / tasks
    reached = (
        f"{values['executed edits']} of {in_force} edits ran; tests say nothing of the others."
    )

    mode = tables.meta.get("mode", "schemata")
    iterated = f"{values['iterations']} iterations, edits in force by {mode}. {reached}"
    iterated += f" {tables.meta['tests']}" if "tests" in tables.meta else ""
    alerts = []
    for kind, count in values["alerts"].items():
        if count:
            alerts.append(f"{count} {kind}")
    alerted = f"Alerts: {', '.join(alerts) or 'none'}."
    alerted += describe_fuzzing(tables)
    kinds = tables.meta.get("faults_seen", {})
    if kinds:
        faults = "; ".join(f"{kind}: {words}" for kind, words in kinds.items())
        alerted += f" Faults that can be seen: {faults}."
    lines = f"{values['changed lines']:.2f} changed lines a function."
    if not values["ranked"]:
        least = Scoring.of(tables.meta).least_changed
        lines += f" Below {least:g} changed lines a function is not ranked."
    return [
        _build_row("compilability", compilability, tasks, checked, bounds=bounds),
        _build_row("functional test", functional, tasks, tested, iterated),
        _build_row("memory safety", _point_interval(values["memory"]), tasks, ran, alerted),
        _build_row("chained tests", tests, tasks, tested),
        _build_row("chained memory", memory, tasks, ran),
        _build_row("Delta", _point_interval(values["delta"]), tasks, checked, lines),
        _build_row("score", _point_interval(values["score"]), tasks, checked),
    ]


def _bootstrap_rate(
    rates: pd.Series, percent: float, rng: np.random.Generator, n_boot: int
) -> Interval:
    """The mean pass rate (in percent), with percentiles of its mean over resampled iterations."""
    if len(rates) < 2:
        return _point_interval(percent)
    means = rng.choice(rates.to_numpy(dtype=float), size=(n_boot, len(rates))).mean(axis=1)
    low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(percent / 100, float(low), float(high), LEVEL, n_boot, "iteration")


def _recognition_rows(rows: pd.DataFrame, planned: int) -> list[dict[str, Any]]:
    """The shares of functions that the model placed, all and those whose text names nothing."""
    counts = count_recognitions(rows)
    groups = {
        "recognised": (counts["recognised"], counts["asked"]),
        "recognised, unnamed": (
            counts["of these recognised"],
            counts["without the name in the text"],
        ),
    }
    shares = []
    for name, (count, total) in groups.items():
        interval = _share_interval(count, total, "function")
        note = f"{count} of {total} functions."
        shares.append(_build_row(name, interval, total, total / planned, note))
    return shares
