"""Builds a paper's table from print, or from our run with the printed table beside it.

And the counts behind its shares with the tests that they allow, one factor at a time in steps.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import fisher_exact

from kit import measures
from kit.errors import KitError
from kit.measures.steps import AXES, frame_steps
from kit.metrics import bootstrap, stats
from kit.papers import audit, published
from kit.papers.audit.relation import figure
from kit.paths import SUITES, run_path
from kit.run import validate
from kit.store import Store
from kit.suites import of_run

PRINTED = "published"
ABSENT = "–"  # a key column that the run does not have


@dataclass(frozen=True)
class Replication:
    """A printed table, or the same table from a run with the printed one beside it.

    rows: long form with the table's key columns, values in %; keys that the run lacks are filled
    with a dash. ci_low and ci_high resample tasks, then samples; bound_low and bound_high count
    undecided tests and infrastructure failures as failed and as passed; planned and judged count
    samples. Metrics that only the run's suite has, such as SVEN-SR, have 95% intervals at every
    level. printed: the paper's table, with the intervals of its counts if `counted` was set.
    """

    source: str
    printed: pd.DataFrame
    rows: pd.DataFrame
    k: Sequence[int] = (1,)
    level: float = 0.95

    @property
    def shown(self) -> pd.DataFrame:
        """The run's rows followed by the paper's, named in `of`; for "published" the paper's alone.

        A metric that only one of them has is a dash in the rows of the other.
        """
        if self.source == PRINTED:
            return self.rows
        sides = pd.concat({self.source: self.rows, PRINTED: self.printed}, names=["of"])
        return sides.reset_index("of").reset_index(drop=True)

    @property
    def drawn(self) -> pd.DataFrame:
        """`shown` for a figure: models of the run carry its name, so rows are distinct."""
        rows = self.shown
        if "of" not in rows:
            return rows
        named = rows["model"] + " (" + rows["of"] + ")"
        return rows.assign(model=rows["model"].where(rows["of"] == PRINTED, named))

    @property
    def folder(self) -> Path | None:
        """The folder of the run for its figures; None for the printed table."""
        return None if self.source == PRINTED else run_path(self.source).parent

    @property
    def note(self) -> str:
        """Why a run has dashes: its samples are fewer than k."""
        ends = {x: self.rows["metric"].str.endswith(f"@{x}") for x in self.k}
        gone = [str(x) for x, at in ends.items() if self.rows.loc[at, "value"].isna().all()]
        if self.source == PRINTED or not gone:
            return ""
        return f"No task has {' or '.join(gone)} samples, so @k of these k is a dash."

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
        on = [*published.keys(self.printed), "metric"]
        names = {"value": "ours", "ci_low": "low", "ci_high": "high"}
        paper = self.printed[[*on, "value"]].rename(columns={"value": "paper"})
        both = self.rows[[*on, *names]].rename(columns=names).merge(paper, on=on, how="left")
        both["difference"] = both["ours"] - both["paper"]
        inside = both["paper"].between(both["low"], both["high"])
        words = inside.map({True: "inside", False: "outside"})
        words = words.where(both["low"].notna() & both["high"].notna(), "no interval")
        both["verdict"] = words.where(both["paper"].notna(), "")
        return both


def replicate(
    source: str,
    printed: pd.DataFrame,
    *,
    k: Sequence[int] = (1,),
    n_boot: int = 5000,
    level: float = 0.95,
    counted: bool = False,
    n: int | str = "",
) -> Replication:
    """A table of `table` where source is "published", or its metrics from the run `source`.

    counted: printed shares of the paper's tasks get the bootstrap interval of their whole counts.
    n: printed shares of so many tasks (or a column of them) get Wilson's, as `shares` gives it.
    """
    if not 0 < level < 1:
        raise KitError(f"level = {level} is not the level of an interval. Use 0.95, for example.")
    if n_boot < 1:
        raise KitError(f"n_boot = {n_boot} is below 1. Use 1 or more, such as 5000.")
    if not k or min(k) < 1:
        raise KitError(f"k = {list(k)} is not valid. Use whole numbers from 1, such as [1].")
    paper = printed.copy()
    if counted:
        limit = int(figure(printed.attrs["paper"], "tasks"))
        paper = audit.intervals(printed, level=level, limit=limit)
    elif n:
        paper = shares(printed, n=n, level=level)
    paper.attrs = dict(printed.attrs)
    if source == PRINTED:
        return Replication(source, paper, paper, k, level)
    rows = _measured(source, printed, k=tuple(k), n_boot=n_boot, level=level)
    return Replication(source, paper, rows, k, level)


def _measured(
    source: str, printed: pd.DataFrame, *, k: Sequence[int], n_boot: int, level: float
) -> pd.DataFrame:
    """The metrics of a printed table from a run, by the table's key columns.

    Arms beyond these are rows of their own: what they differ in stands behind the first key. A
    language that each task has of itself is none.
    """
    frame, names = run_frame(source, printed.attrs["paper"]), published.keys(printed)
    shared = [name for name in names if name in frame]
    further = [c for c in measures.arms(frame)
               if c not in names and frame[c].nunique(dropna=False) > 1
               and (c != "language" or frame.groupby("task")[c].nunique().max() > 1)]  # fmt: skip
    options: dict[str, Any] = {"by": [*shared, *further], "k": k, "n_boot": n_boot}
    metrics = measures.measure(frame, **options, rng=stats.seed(source), level=level)
    kinds = {_kind(metric) for metric in printed["metric"]}
    with Store(source, write=False) as file:
        more = of_run(file).scores(file, **options, rng=stats.seed(source))
    metrics = pd.concat([metrics, more[~more["metric"].isin(metrics["metric"])]], ignore_index=True)
    metrics = metrics[metrics["metric"].map(_kind).isin(kinds)]
    if metrics.empty:
        raise KitError(f"The run {source} has no tests for {', '.join(sorted(kinds))}.")
    long = pd.DataFrame({name: metrics[name] if name in shared else ABSENT for name in names})
    if further:
        values = metrics[further].astype(object).where(metrics[further].notna(), "not set")
        arms = [", ".join(f"{c} {v}" for c, v in row.items()) for row in values.to_dict("records")]
        long[names[0]] = [f"{name} ({arm})" for name, arm in zip(long[names[0]], arms, strict=True)]
    long["metric"] = metrics["metric"]
    columns = {"estimate": "value", "low": "ci_low", "high": "ci_high"}
    for ours, name in columns.items():
        long[name] = 100.0 * metrics[ours]
    long["unit"] = "%"
    long["bound_low"], long["bound_high"] = 100 * metrics["bound_low"], 100 * metrics["bound_high"]
    long = long.assign(**{c: metrics[c] for c in ("tasks", "planned", "judged")})
    long = long.reset_index(drop=True)
    long.attrs = dict(printed.attrs)
    return long


def _kind(metric: str) -> str:
    return re.sub(r"@\d+", "@k", metric)


def shares(rows: pd.DataFrame, *, n: int | str, level: float = 0.95) -> pd.DataFrame:
    """Printed shares of n tasks (a number, or a column) with count, recomputed, ci_low, ci_high.

    count is the nearest whole number, recomputed its share in %; the interval is Wilson's over the
    tasks. With several samples a task (k > 1) a share is not one count: take it as a reading aid.
    """
    size = rows[n].astype(int) if isinstance(n, str) else pd.Series(n, rows.index)
    count = (rows["value"] * size / 100).round().astype(int)
    wilsons = [stats.wilson(c, s, level=level) for c, s in zip(count, size, strict=True)]
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
    """Precision, recall and F1 of the verdicts of a run of labelled programs, and how many decided.

    The positive class is `pass`, as in the papers. Labels are those of data/references today; of a
    program that the run holds twice the later one counts. KitError for a run of another suite.
    """
    from kit.oracle import calibrate

    run_frame(run, "dualgauge")
    counts = calibrate.confusion(validate.labelled(run))
    wanted = {"n": "tests", "unknown": "undecided", "precision": "precision", "recall": "recall"}
    rows = {group: counts[group] for group in calibrate.GROUPS}
    flat = pd.DataFrame({name: [rows[g][key] for g in rows] for key, name in wanted.items()})
    flat["F1"] = [rows[g]["f1"] for g in rows]
    return flat.set_index(pd.Index(list(rows), name="tests of"))


def composition(source: str) -> pd.DataFrame:
    """Tasks, tests, tests per task and CWEs of a suite in data/suites, or of what a run planned."""
    if (SUITES / source).is_dir():
        from kit.suites import spec

        tasks = spec.load(SUITES / source).tasks
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

    A run counts the first sample of each task; samples with infrastructure failures are left out.
    """
    if source == PRINTED:
        return audit.reconstructed(printed, limit=int(figure(printed.attrs["paper"], "tasks")))
    samples = measures.samples(run_frame(source, printed.attrs["paper"]))
    keys = [k for k in published.keys(printed) if k in samples]
    first = samples[samples["counted"]].groupby([*keys, "task"], sort=False).head(1)
    axes = {"passed": "functional", "secure": "secure", "joint": "joint"}
    sure = first[keys].assign(n=1, **{c: first[a].fillna(value=False) for c, a in axes.items()})
    sums = sure.groupby(keys, sort=False)[COUNTS].sum().astype(int)
    for absent in set(published.keys(printed)) - set(keys):
        sums = sums.set_index(pd.Index([ABSENT] * len(sums), name=absent), append=True)
    return sums


def intervals(counts: pd.DataFrame, *, n_boot: int = 5000, level: float = 0.95) -> pd.DataFrame:
    """The joint rate of each row in %, with its bootstrap (drawn, exact) and Wilson's interval."""
    rows = []
    for row in counts[COUNTS].itertuples():
        hits = np.repeat([1.0, 0.0], [row.joint, row.n - row.joint])
        data = bootstrap.clusters(hits, np.arange(row.n))
        rng = stats.seed(str(row.Index))
        (drawn,) = bootstrap.bootstrap(data, rng=rng, n_boot=n_boot, level=level, within=False)
        exact = audit.resampled(row.n, row.joint, level=level)
        score = stats.wilson(row.joint, row.n, level=level)
        shares = (drawn.estimate, drawn.low, drawn.high, score.low, score.high)
        joint, *drawn_ends, low, high = (100 * x for x in shares)
        rows.append((joint, *drawn_ends, *exact, low, high))
    names = ["drawn low", "drawn high", "exact low", "exact high", "Wilson low", "Wilson high"]
    return pd.DataFrame(rows, columns=["joint", *names], index=counts.index)


def printed_intervals(claims: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    """For each joint rate that the prose prints with an interval the four nearest n."""
    pairs = {"gpt-5-medium": "gpt-5-medium", "codestral-22b": "codestral-22b-v0.1"}
    limit = int(figure(table.attrs["paper"], "tasks"))
    parts = []
    for short, model in pairs.items():
        claim = claims[claims["claim"] == f"joint rate of {short} in Python"].iloc[0]
        row = table[(table["model"] == model) & (table["language"] == "python")]
        fits = audit.candidates(row, claim, limit=limit).head(4)
        ends = {"printed": claim["value"], "from": claim["ci_low"], "to": claim["ci_high"]}
        parts.append(fits.assign(model=model, **ends))
    columns = ["model", "printed", "from", "to", "n", "joint", "low", "high", "off"]
    return pd.concat(parts, ignore_index=True)[columns]


def sign_tests(counts: pd.DataFrame, *, alpha: float = 0.05) -> dict[str, pd.DataFrame]:
    """Three exact tests of each row, with Holm's p over the rows and whether it is below alpha.

    pass without joint: against joint without pass, which cannot be. function against security:
    only functional against only secure. dependence: Fisher's test of secure by functional.
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
        frame["p"] = [_p(a, b) for a, b in frame.itertuples(index=False)]
    by["p"] = [f.pvalue for f in fisher]
    tests["dependence"] = by
    for frame in tests.values():
        frame["p (Holm)"] = stats.holm(frame["p"])
        frame["below alpha"] = (frame["p (Holm)"] < alpha).map({True: "yes", False: "no"})
    return tests


def _p(above: int, below: int) -> float:
    return stats.sign_test(np.repeat([1.0, -1.0], [above, below]))


@dataclass(frozen=True)
class Factor:
    """A factor of appendix E.4: its table, the column of its levels, the families, their order."""

    table: int
    column: str
    families: tuple[str, ...]
    ordered: bool

    def grouped(self, rows: pd.DataFrame, source: str = PRINTED) -> pd.DataFrame:
        """Rows of `replicate` with a first column `family`; a run's are one, named by the run.

        The levels of a run that does not have the factor are its models.
        """
        of = rows["of"] if "of" in rows else [source] * len(rows)
        names = zip(family(rows["model"], self.families), of, strict=True)
        out = rows.drop(columns="of", errors="ignore")
        out = out.mask(out == ABSENT, out["model"], axis=0)
        out.attrs = dict(rows.attrs)
        out.insert(0, "family", [n if o == PRINTED else o for n, o in names])
        return out

    def steps(
        self, source: str, rows: pd.DataFrame, *, level: str, n_boot: int = 5000,
        confidence: float = 0.95,
    ) -> pd.DataFrame:  # fmt: skip
        """`printed_steps` of `grouped` rows where source is "published", else those of the run.

        A run without a column `level` has its models as levels; its name is the first column.
        """
        if source == PRINTED:
            return printed_steps(rows, panel="family", level=level)
        frame = run_frame(source, rows.attrs["paper"])
        column = level if level in frame else "model"
        steps = frame_steps(
            frame, name=source, level=column, first=frame[column].iloc[0], n_boot=n_boot,
            confidence=confidence,
        )  # fmt: skip
        steps.insert(0, "run", source)
        return steps


FACTORS = {
    "scale": Factor(10, "size", ("qwen3", "gemma-3"), ordered=True),
    "thinking": Factor(11, "thinking", ("gpt-5", "claude", "qwen3", "nemotron"), ordered=True),
    "quantization": Factor(12, "precision", ("qwen3-8b", "llama-3.1-8b-instruct"), ordered=False),
    "specialization": Factor(
        13, "role", ("qwen2.5", "qwen3", "mistral|codestral", "llama-2|codellama"), ordered=False
    ),
    "tuning": Factor(
        14, "tuning", ("qwen2.5-7b", "llama-3.1-8b", "mistral-7b", "gemma-3-4b"), ordered=False
    ),
}


def factor(name: str) -> Factor:
    """A factor by its name; KitError with those that there are."""
    if name not in FACTORS:
        raise KitError(f"Unknown factor {name!r}. Use one of: {', '.join(FACTORS)}.")
    return FACTORS[name]


def family(names: Iterable[str], starts: Iterable[str]) -> list[str]:
    """For each name the entry of `starts` that it begins with ("a|b": with a or b), or itself."""
    known = list(starts)
    matches = [next((s for s in known if n.startswith(tuple(s.split("|")))), n) for n in names]
    return [f.replace("|", " / ") for f in matches]


def printed_steps(rows: pd.DataFrame, *, panel: str, level: str) -> pd.DataFrame:
    """Each later level of a family against its first, from printed shares.

    Per-task results are not printed, so the pairing is unknown. n is the smaller of the largest
    numbers of tasks that fit each row's shares; p_least and p_most are McNemar's exact p for the
    largest and the smallest overlap that the nearest counts of n allow.
    """
    sizes = audit.reconstructed(rows.drop(columns=panel))["n"].groupby("model").first()
    steps = []
    for name, part in rows.groupby(panel, sort=False):
        flat = part.pivot(index="model", columns="metric", values="value")
        models = dict(part[["model", level]].drop_duplicates().itertuples(index=False))
        first, *others = models
        for other in others:
            n = int(min(sizes[first], sizes[other]))
            for metric in dict.fromkeys(part["metric"]):
                pair = flat.loc[[other, first], metric]
                ends = (np.nan, np.nan)
                if n and metric in AXES:
                    one, two = (round(x * n / 100) for x in pair)
                    ends = extremes(one, two, n)
                step = pair.iloc[0] - pair.iloc[1]
                steps.append((name, models[first], models[other], metric, step, n, *ends))
    columns = [panel, "from", "to", "metric", "step", "n", "p_least", "p_most"]
    return pd.DataFrame(steps, columns=columns).dropna(subset="step", ignore_index=True)


def extremes(first: int, second: int, n: int) -> tuple[float, float]:
    """The least and the greatest p of McNemar's exact test for two counts of the same n tasks.

    The tasks of the smaller count may all be among the larger's (least p), or as few as n allows.
    """
    if not 0 <= min(first, second) <= max(first, second) <= n:
        raise KitError(f"Got {first} and {second} of {n}. Give two counts of the same tasks.")
    both = (min(first, second), max(0, first + second - n))
    least, most = (_p(first - a, second - a) for a in both)
    return least, most
