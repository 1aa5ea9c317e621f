"""Builds a paper's table from print, or from our run with the printed table beside it.

And the counts behind its shares with the tests that they allow.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import fisher_exact

from kit.core.errors import KitError
from kit.core.paths import SUITES, run_path
from kit.core.records import FACT
from kit.core.store import Store
from kit.papers import audit, published
from kit.papers.audit.relation import read_claim
from kit.run import validate
from kit.run.suites import of_run, open_suite
from kit.scoring import bootstrap, measures, stats
from kit.scoring.rates import bootstrap_rates, count_confusion

PRINTED = "published"


@dataclass(frozen=True)
class Replication:
    """A printed table, or the same table from a run with the printed one beside it.

    rows: long form with the table's key columns and those of `further`, values in %. ci_low and
    ci_high resample tasks, then samples; bound_low and bound_high count undecided tests and
    infrastructure failures as failed and as passed; planned and judged count samples. Metrics that
    only the run's suite has, such as SVEN-SR, have 95% intervals at every level. printed: the
    paper's table under a run's names, with the intervals of its counts if `counted` was set.
    further: what else tells the run's rows apart: the model, and arms that the paper does not have.
    """

    source: str
    printed: pd.DataFrame
    rows: pd.DataFrame
    k: Sequence[int] = (1,)
    level: float = 0.95
    further: Sequence[str] = ()

    @property
    def shown_rows(self) -> pd.DataFrame:
        """The run's rows followed by the paper's, named in `of`; for "published" the paper's alone.

        A metric that only one of them has is a dash in the rows of the other.
        """
        if self.source == PRINTED:
            return self.rows
        paper = self.printed.assign(**dict.fromkeys(self.further, ""))
        sides = pd.concat({self.source: self.rows, PRINTED: paper}, names=["of"])
        return sides.reset_index("of").reset_index(drop=True)

    @property
    def drawn(self) -> pd.DataFrame:
        """`shown` for a figure: the paper's models are marked, so rows are distinct."""
        rows = self.shown_rows
        if "of" not in rows:
            return rows
        named = rows["model"] + " (paper)"
        return rows.assign(model=rows["model"].mask(rows["of"] == PRINTED, named))

    @property
    def folder(self) -> Path | None:
        """The folder of the run for its figures; None for the printed table."""
        return None if self.source == PRINTED else run_path(self.source).parent

    @property
    def note(self) -> str:
        """Why a run has dashes, or bounds in the place of a value."""
        if self.source == PRINTED:
            return ""
        ends = {x: self.rows["metric"].str.endswith(f"@{x}") for x in self.k}
        gone = [str(x) for x, at in ends.items() if self.rows.loc[at, "bound_low"].isna().all()]
        few = f"No task has {' or '.join(gone)} samples, so @k of these k is a dash."
        open_ = self.rows["value"].isna() & self.rows["bound_low"].notna()
        return " ".join([few] * bool(gone) + [measures.OPEN] * bool(open_.any()))

    def says(self, *, n: str, kind: str = "", level: float | None = None) -> str:
        """The text below a figure: n, and the level and the kind of the intervals.

        n, kind, level: of the printed rows; a run's tasks are counted, and its level is known.
        """
        if self.source == PRINTED:
            drawn = "ci_low" in self.rows and self.rows["ci_low"].notna().any()
            ends = f"{level or self.level:.0%} {kind}." if drawn else "no intervals are printed."
            return f"{n}; {ends}"
        tasks = ", ".join(f"{t:,.0f}" for t in sorted(self.rows["tasks"].dropna().unique()))
        ends = f"{self.level:.0%} bootstrap over tasks, then samples."
        return f"Run {self.source}: n = {tasks} tasks; {ends}"

    def agree(self) -> pd.DataFrame:
        """How the table agrees with the paper, for the end of its notebook.

        The printed table: the laws that the audit checks in it, from `audit.agree`; raises
        Disagreement for a relation that is not as listed. A run: ours | low | high | paper |
        difference, and whether the printed number is inside our interval, if there is one; rows
        that the paper does not print have no number there.
        """
        if self.source == PRINTED:
            return audit.agree(self.printed.attrs["paper"], self.printed.attrs["table"])
        on = [*published.key_columns(self.printed), "metric"]
        names = {"value": "ours", "ci_low": "low", "ci_high": "high"}
        paper = self.printed[[*on, "value"]].rename(columns={"value": "paper"})
        mine = self.rows.rename(columns=names)
        columns = [*published.key_columns(self.rows), "metric", *names.values()]
        both = mine[columns].merge(paper, on=on, how="left")
        both["difference"] = both["ours"] - both["paper"]
        both["ours"] = measures.insert_bounds(mine, "ours")
        inside = both["paper"].between(both["low"], both["high"])
        words = inside.map({True: "inside", False: "outside"})
        words = words.where(both["low"].notna() & both["high"].notna(), "no interval")
        both["verdict"] = words.where(both["paper"].notna(), "")
        return both

    def count_signs(self, level: str) -> pd.DataFrame:
        """In how many models each level of this column lies above and below the first level.

        p: of the exact sign test with the model as its unit, so that five models cannot come below
        .0625; p (Holm): over all rows. A model's value is the mean over its further arms. Models
        without a value at both levels are no part of `models`; no row for fewer than two.
        """
        rows = self.shown_rows.assign(of=self.shown_rows.get("of", self.source))
        rows = rows[(rows[level] != "Overall") & (rows["model"] != "Average")]
        rows = rows[rows["metric"].isin(self.printed["metric"])]
        signs = []
        for (source, metric), part in rows.groupby(["of", "metric"], sort=False):
            wide = part.pivot_table("value", "model", level, sort=False)
            levels = pd.Index([*self.printed[level], *wide]).unique()
            levels = levels.intersection(wide.columns, sort=False)
            for other in levels[1:]:
                steps = (wide[other] - wide[levels[0]]).dropna()
                counts = {"models": len(steps), "above": (steps > 0).sum()}
                counts |= {"below": (steps < 0).sum(), "p": stats.sign_test(steps)}
                ends = {"of": source, "metric": metric, "from": levels[0], "to": other}
                signs.append(ends | counts)
        columns = ["of", "metric", "from", "to", "models", "above", "below", "p"]
        table = pd.DataFrame(signs, columns=columns)
        table = table[table["models"] > 1].reset_index(drop=True)
        return table.assign(**{"p (Holm)": stats.apply_holm(table["p"])})


def replicate(
    source: str,
    printed: pd.DataFrame,
    *,
    columns: Mapping[str, str] = MappingProxyType({}),
    k: Sequence[int] | str = (1,),
    n_boot: int = 5000,
    level: float = 0.95,
    counted: bool = False,
    n: int | str = "",
) -> Replication:
    """A table of `table` where source is "published", or its metrics from the run `source`.

    columns: the run's column for a key of the paper, where it has another name. k: numbers, or
    their JSON text as a command line gives it.
    counted: printed shares of the paper's tasks get the bootstrap interval of their whole counts.
    n: printed shares of so many tasks (or a column of them) get Wilson's, as `shares` gives it.
    """
    if not 0 < level < 1:
        raise KitError(f"level = {level} is not the level of an interval. Use 0.95, for example.")
    if n_boot < 1:
        raise KitError(f"n_boot = {n_boot} is below 1. Use 1 or more, such as 5000.")
    k = _read_numbers(k)
    if absent := set(columns) - set(published.key_columns(printed)):
        raise KitError(
            f"The table has no key {', '.join(absent)}. It has: "
            f"{', '.join(published.key_columns(printed))}."
        )
    paper = printed.copy()
    if counted:
        limit = int(read_claim(printed.attrs["paper"], "tasks"))
        paper = audit.add_intervals(printed, level=level, limit=limit)
    elif n:
        paper = shares(printed, n=n, level=level)
    paper.attrs = dict(printed.attrs)
    if source == PRINTED:
        return Replication(source, paper, paper, k, level)
    paper = published.rename_labels(paper)
    run = join_run(source, paper, columns)
    rows = _measure_run(run, paper, k=k, n_boot=n_boot, level=level)
    return Replication(source, paper, rows, k, level, tuple(run.further))


def _read_numbers(k: Sequence[int] | str) -> Sequence[int]:
    try:
        numbers = json.loads(k) if isinstance(k, str) else k
    except ValueError:
        numbers = []
    whole = isinstance(numbers, Sequence) and all(type(x) is int and x > 0 for x in numbers)
    if not numbers or not whole:
        raise KitError(f"k = {k!r} is not valid. Use whole numbers from 1, such as [1].")
    return tuple(numbers)


@dataclass(frozen=True)
class RunTable:
    """A run under the keys of a printed table.

    frame: its tidy table. keys, further: for each key of the paper, and for each further key, the
    run's column. Further are the model, and each arm that the paper does not have.
    """

    source: str
    frame: pd.DataFrame
    keys: Mapping[str, str]
    further: Mapping[str, str]

    @property
    def by(self) -> list[str]:
        """The run's columns, each once."""
        return [
            c
            for c in dict.fromkeys([*self.keys.values(), *self.further.values()])
            if c in self.frame
        ]

    def label_rows(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The rows with a text for each key and further key in front."""
        named = {**self.keys, **self.further}
        columns = list(dict.fromkeys(named.values()))
        filled = measures.fill_settings(rows.reindex(columns=columns), columns)
        labels = {key: filled[column].astype(str) for key, column in named.items()}
        kept = rows.drop(columns=[c for c in (*self.by, *labels) if c in rows])
        return pd.concat([pd.DataFrame(labels, index=rows.index), kept], axis=1)


def join_run(source: str, printed: pd.DataFrame, columns: Mapping[str, str]) -> RunTable:
    """The run, with its column `columns[key]` (or of the key's own name) as the paper's key.

    A setting of the suite that no sample has is "not set"; KitError for any other column that the
    run lacks, with those that it has. A language that each task has of itself is no further arm.
    """
    paper = printed.attrs["paper"]
    frame = run_frame(source, paper)
    keys = {key: columns.get(key, key) for key in published.key_columns(printed)}
    arms, facts = measures.arm_columns(frame), [c for c in frame if c.startswith(FACT)]
    settings = [setting.name for setting in fields(open_suite(paper).Settings)]
    known = list(dict.fromkeys([*arms, "task", "domain", "cwe", *facts, *settings]))
    for key, column in keys.items():
        if column not in known:
            raise KitError(
                f"The run {source} has no column {column} for the table's {key}. "
                f"Use one of: {', '.join(known)}."
            )
    own = ["language"] if frame.groupby("task")["language"].nunique().max() < 2 else []
    texts = frame[[c for c in arms if c not in own]].astype(str).drop_duplicates()
    taken, further = [c for c in keys.values() if c in texts], dict[str, str]()
    for column in texts:
        before, now = (texts[names].drop_duplicates() for names in (taken, [*taken, column]))
        if column not in taken and (column == "model" or len(now) > max(1, len(before))):
            taken, name = [*taken, column], f"{column} (setting)" if column in keys else column
            further[name] = column
    return RunTable(source, frame, keys, further)


def _measure_run(
    run: RunTable, printed: pd.DataFrame, *, k: Sequence[int], n_boot: int, level: float
) -> pd.DataFrame:
    """The metrics of a printed table from a run, by the table's key columns and further ones."""
    options: dict[str, Any] = {"by": run.by, "k": k, "n_boot": n_boot}
    metrics = measures.measure(run.frame, **options, rng=stats.seed(run.source), level=level)
    kinds = {_find_kind(metric) for metric in printed["metric"]}
    with Store(run.source, write=False) as file:
        more = of_run(file).scores(file, **options, rng=stats.seed(run.source))
    metrics = pd.concat([metrics, more[~more["metric"].isin(metrics["metric"])]], ignore_index=True)
    metrics = metrics[metrics["metric"].map(_find_kind).isin(kinds)]
    if metrics.empty:
        raise KitError(f"The run {run.source} has no tests for {', '.join(sorted(kinds))}.")
    names = [
        *run.keys,
        *run.further,
        "metric",
        "value",
        "ci_low",
        "ci_high",
        "unit",
        "bound_low",
        "bound_high",
        "tasks",
        "planned",
        "judged",
    ]
    long = run.label_rows(measures.convert_to_percent(metrics))[names]
    places = pd.DataFrame(index=long.index)
    for key in (*run.keys, *run.further):  # in the paper's order, and what it lacks after it
        known = printed[key] if key in run.keys and key != "model" else []
        labels = list(dict.fromkeys([*known, *long[key]]))
        places[key] = long[key].map(labels.index)
    order = places.sort_values(list(places), kind="stable").index
    long = long.loc[order].reset_index(drop=True)
    long.attrs = dict(printed.attrs)
    return long


def _find_kind(metric: str) -> str:
    return re.sub(r"@\d+", "@k", metric)


def shares(rows: pd.DataFrame, *, n: int | str, level: float = 0.95) -> pd.DataFrame:
    """Printed shares of n tasks (a number, or a column) with count, recomputed, ci_low, ci_high.

    count is the nearest whole number, recomputed its share in %; the interval is Wilson's over the
    tasks. With several samples a task (k > 1) a share is not one count: take it as a reading aid.
    """
    size = rows[n].astype(int) if isinstance(n, str) else pd.Series(n, rows.index)
    count = (rows["value"] * size / 100).round().astype(int)
    wilsons = [stats.wilson_interval(c, s, level=level) for c, s in zip(count, size, strict=True)]
    ends = {"ci_low": [100 * f.low for f in wilsons], "ci_high": [100 * f.high for f in wilsons]}
    return rows.assign(n=size, count=count, recomputed=100 * count / size, **ends)


def run_frame(source: str, paper: str) -> pd.DataFrame:
    """The tidy table of a run of the paper's suite; KitError for a recording and for other suites.

    If a run does not name its suite, the suite of its tasks counts.
    """
    path = run_path(source)
    if not path.exists() and (path.parent / "samples.jsonl").exists():
        raise KitError(
            f"{source} is a recording, not a run. Type `kit run {paper} --model replay:{source}`, "
            "and give the name of the run that it prints."
        )
    with Store(source, write=False) as store:
        frame, meta = store.frame(), store.meta()
    suite = meta.get("suite") or "".join(frame["suite"].unique()[:1])
    if not str(suite).startswith(paper):
        raise KitError(
            f"The run {source} is of the suite {suite}, and this table is one of {paper}. "
            f"Give a run that `kit run {paper}` made, or 'published'."
        )
    return frame


def oracle(run: str) -> pd.DataFrame:
    """Precision, recall and F1 of a run's verdicts against labels, and how many are undecided.

    The positive class is `pass`, as in the papers. Limits of F1 resample tasks; without any error
    there are none. Labelled programs have the labels of the suite today; of one that the run holds
    twice the later counts. For a model's run people labelled blind, and only what was decided; each
    label has the weight of its stratum, and `stand for` is how many decided tests they stand for: a
    stratum without a label adds none. KitError for a run of another suite.
    """
    from kit.explore import blind
    from kit.oracle import calibrate

    frame = run_frame(run, "dualgauge")
    is_labelled = (frame["model"] == "reference").all()
    rows = validate.labelled(run) if is_labelled else blind.read_labelled(run)
    counts = calibrate.compare_to_labels(rows)
    wanted = {
        "n": "tests",
        "unknown": "undecided",
        "precision": "precision",
        "recall": "recall",
        "f1": "F1",
    }
    table = []
    for group in calibrate.GROUPS:
        part = rows if group == "both" else rows[rows["kind"] == group]
        row = {name: counts[group][key] for key, name in wanted.items()}
        if not is_labelled:
            row["stand for"] = part["weight"].sum()
        if part["task"].nunique() > 1:
            ones = count_confusion(part, positive="pass")
            ends = bootstrap_rates(ones, part["task"], rng=stats.seed(group), n_boot=2000)["f1"]
            if ends.low < ends.high:
                row |= {"F1 low": ends.low, "F1 high": ends.high}
        table.append(row)
    return pd.DataFrame(table, index=pd.Index(calibrate.GROUPS, name="tests of"))


def composition(source: str) -> pd.DataFrame:
    """Tasks, tests, tests per task and CWEs of a suite in data/suites, or of what a run planned."""
    if Path(source).name == source and (SUITES / source).is_dir():  # no folder of a run
        from kit.systems.dualgauge import spec

        tasks = spec.load_items(SUITES / source).tasks
        cells = [(t.id, x.id, x.kind, x.cwe) for t in tasks for x in t.tests]
        tests = pd.DataFrame(cells, columns=["task", "test", "kind", "cwe"])
    else:
        tests = run_frame(source, "dualgauge").drop_duplicates(["task", "test"])
    n, kinds = tests["task"].nunique(), tests["kind"].value_counts()
    value = {
        "Specification-only prompts": n,
        "Total runtime tests": len(tests),
        "Avg. functional tests / prompt": kinds.get("functional", 0) / n,
        "Avg. security tests / prompt": kinds.get("security", 0) / n,
        "Covered CWE categories": tests.loc[tests["cwe"] != "", "cwe"].nunique(),
    }
    return pd.DataFrame({"property": list(value), source: [f"{v:.5g}" for v in value.values()]})


COUNTS = ["n", "passed", "secure", "joint"]


def tallies(source: str, printed: pd.DataFrame) -> pd.DataFrame:
    """n, passed, secure, joint per row of a table: reconstructed, or those of a run.

    A run counts the first sample of each task. undecided: those of which function or security is;
    joint_most: the joint count if all of these were both.
    """
    if source == PRINTED:
        return audit.reconstruct_counts(
            printed, limit=int(read_claim(printed.attrs["paper"], "tasks"))
        )
    run = join_run(source, printed, {})
    samples = run.label_rows(measures.summarize_samples(run.frame))
    by = [*run.keys, *run.further]
    first = samples.groupby([*by, "task"], sort=False).head(1)
    axes = {
        "passed": "functional_low",
        "secure": "secure_low",
        "joint": "joint_low",
        "joint_most": "joint_high",
    }
    known = {count: first[axis] for count, axis in axes.items()}
    ones = first[by].assign(n=1, **known, undecided=first["state"] != "judged")
    return ones.groupby(by, sort=False)[["n", *axes, "undecided"]].sum().astype(int)


def much_undecided(counts: pd.DataFrame) -> pd.Series:
    """For each row of `tallies` whether too much is undecided for a point and a test."""
    open_ = counts.get("undecided", pd.Series(0, counts.index))
    return open_ / counts["n"] > measures.MOST_UNDECIDED


def intervals(counts: pd.DataFrame, *, n_boot: int = 5000, level: float = 0.95) -> pd.DataFrame:
    """The joint rate of each row in %, with its bootstrap (drawn, exact) and Wilson's interval.

    Where too much is undecided, the rate is the pair of its bounds, and there is no interval.
    """
    rows = []
    for row in counts[COUNTS].itertuples():
        joint = 100 * row.joint / row.n
        score = stats.wilson_interval(row.joint, row.n, level=level)
        resampled = [np.nan] * 4  # one task cannot be resampled
        if row.n > 1:
            hits = np.repeat([1.0, 0.0], [row.joint, row.n - row.joint])
            data = bootstrap.group_by_task(hits, np.arange(row.n))
            rng = stats.seed(str(row.Index))
            (drawn,) = bootstrap.bootstrap_intervals(
                data, rng=rng, n_boot=n_boot, level=level, within=False
            )
            exact = audit.find_quantiles(row.n, row.joint, level=level)
            resampled = [100 * drawn.low, 100 * drawn.high, *exact]
        rows.append((joint, *resampled, 100 * score.low, 100 * score.high))
    names = ["drawn low", "drawn high", "exact low", "exact high", "Wilson low", "Wilson high"]
    rates = pd.DataFrame(rows, columns=["joint", *names], index=counts.index)
    open_ = much_undecided(counts)
    most = 100 * counts.get("joint_most", counts["joint"]) / counts["n"]
    bounds = rates.assign(bound_low=rates["joint"], bound_high=most).mask(~open_)
    rates = rates.mask(open_)
    return rates.assign(joint=measures.insert_bounds(bounds.assign(joint=rates["joint"]), "joint"))


def printed_intervals(claims: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    """For each joint rate that the prose prints with an interval the four nearest n."""
    pairs = {"gpt-5-medium": "gpt-5-medium", "codestral-22b": "codestral-22b-v0.1"}
    limit = int(read_claim(table.attrs["paper"], "tasks"))
    parts = []
    for short, model in pairs.items():
        claim = claims[claims["claim"] == f"joint rate of {short} in Python"].iloc[0]
        row = table[(table["model"] == model) & (table["language"] == "python")]
        fits = audit.list_sizes(row, claim, limit=limit).head(4)
        ends = {"printed": claim["value"], "from": claim["ci_low"], "to": claim["ci_high"]}
        parts.append(fits.assign(model=model, **ends))
    columns = ["model", "printed", "from", "to", "n", "joint", "low", "high", "off"]
    return pd.concat(parts, ignore_index=True)[columns]


def sign_tests(counts: pd.DataFrame, *, alpha: float = 0.05) -> dict[str, pd.DataFrame]:
    """Three exact tests of each row, with Holm's p over the rows and whether it is below alpha.

    pass without joint: against joint without pass, which cannot be. function against security:
    only functional against only secure. dependence: Fisher's test of secure by functional. Where
    too much is undecided, there is no test, and the shares are pairs of bounds.
    """
    n, passed, secure, joint = (counts[c] for c in COUNTS)
    lone, safe = passed - joint, secure - joint
    one_way = pd.DataFrame({"pass without joint": lone, "joint without pass": 0 * joint})
    either = pd.DataFrame({"only functional": lone, "only secure": safe})
    by = pd.DataFrame(
        {
            "secure if functional": 100 * joint / passed.where(passed > 0),
            "secure if not": 100 * safe / (n - passed).where(passed < n),
        }
    )
    cells = zip(joint, lone, safe, n - passed - safe, strict=True)
    fisher = [fisher_exact([[j, a], [b, d]]) for j, a, b, d in cells]
    by["odds ratio"] = [f.statistic for f in fisher]
    tests = {"pass without joint": one_way, "function against security": either}
    for frame in tests.values():
        frame["p"] = [sign_p(a, b) for a, b in frame.itertuples(index=False)]
    by["p"] = [f.pvalue for f in fisher]
    tests["dependence"] = by
    open_ = much_undecided(counts)
    doubt = counts.get("undecided", 0 * n)
    by["secure if functional"] = _bound_shares(
        by["secure if functional"],
        open_,
        joint / (passed + doubt),
        (joint + doubt) / (joint + doubt).clip(lower=passed),
    )
    by["secure if not"] = _bound_shares(
        by["secure if not"],
        open_,
        (safe - doubt) / (n - passed),
        (safe + doubt) / (n - passed - doubt).clip(lower=1),
    )
    for frame in tests.values():
        frame["p"] = frame["p"].mask(open_)
        frame["p (Holm)"] = stats.apply_holm(frame["p"])
        below = (frame["p (Holm)"] < alpha).map({True: "yes", False: "no"})
        frame["below alpha"] = below.mask(open_, "no test: too much is undecided")
    return tests


def _bound_shares(
    shares: pd.Series, open_: pd.Series, low: pd.Series, high: pd.Series
) -> pd.Series:
    """The shares in %, with a pair of limits where too much is undecided."""
    ends = {"bound_low": 100 * low.clip(0, 1), "bound_high": 100 * high.clip(0, 1)}
    rows = pd.DataFrame({"share": shares.mask(open_), **ends})
    rows.loc[~open_, list(ends)] = np.nan
    return measures.insert_bounds(rows, "share")


def sign_p(above: int, below: int) -> float:
    """The exact p of so many tasks above and below."""
    return stats.sign_test(np.repeat([1.0, -1.0], [above, below]))
