"""A table from the paper, or the same table from a run of ours with the printed one beside it."""

import re
from collections.abc import Sequence

import pandas as pd

from kit import measures, store
from kit.errors import KitError
from kit.metrics import stats
from kit.oracle import calibrate
from kit.papers import audit, published
from kit.papers.audit.laws import figure
from kit.paths import SUITES
from kit.run import validate
from kit.suites import of_run, spec

PRINTED = "published"
ABSENT = "–"  # a key column that the run does not have


def rows(
    source: str,
    printed: pd.DataFrame,
    *,
    k: Sequence[int] = (1,),
    n_boot: int = 5000,
    level: float = 0.95,
    counted: bool = False,
) -> pd.DataFrame:
    """`printed` itself where source is "published", or its metrics from the run `source`, in %.

    Long form with the table's key columns; those that the run lacks are filled with a dash. ci_low
    and ci_high resample tasks, then samples; bound_low and bound_high take what is undecided or
    lost both ways; planned and judged count samples. What only the run's suite measures, such as
    SVEN-SR, has 95% intervals whatever the level. attrs["source"] names the source.
    counted: printed shares of the paper's tasks get the bootstrap interval of their whole counts.
    """
    if source == PRINTED:
        limit = int(figure(printed.attrs["paper"], "tasks")) if counted else 0
        kept = audit.intervals(printed, level=level, limit=limit) if counted else printed.copy()
        kept.attrs = {**printed.attrs, "source": PRINTED}
        return kept
    frame, names = store.frame(source), published.keys(printed)
    held = [name for name in names if name in frame]
    options = {"rng": stats.seed(source), "n_boot": n_boot, "level": level}
    found = measures.measure(frame, by=held, k=tuple(k), **options)
    kinds = {_kind(metric) for metric in printed["metric"]}
    more = _own(source, printed.attrs["paper"], by=held, k=tuple(k), n_boot=n_boot)
    found = pd.concat([found, more[~more["metric"].isin(found["metric"])]], ignore_index=True)
    found = found[found["metric"].map(_kind).isin(kinds)]
    if found.empty:
        raise KitError(f"The run {source} has no tests for {', '.join(sorted(kinds))}.")
    long = pd.DataFrame({name: found[name] if name in held else ABSENT for name in names})
    columns = {"metric": "metric", "estimate": "value", "low": "ci_low", "high": "ci_high"}
    for ours, name in columns.items():
        long[name] = found[ours] if name == "metric" else 100.0 * found[ours]
    long["unit"] = "%"
    long["bound_low"], long["bound_high"] = 100 * found["bound_low"], 100 * found["bound_high"]
    long = long.assign(**{c: found[c] for c in ("tasks", "planned", "judged")})
    long = long.reset_index(drop=True)
    long.attrs = {**printed.attrs, "source": source}
    return long


def _own(
    source: str, paper: str, *, by: Sequence[str], k: Sequence[int], n_boot: int
) -> pd.DataFrame:
    """The measures of the run's own suite; KitError where that is another paper's."""
    with store.Store(source, write=False) as file:
        suite = of_run(file)
        if suite.name != paper and suite.name in published.papers():
            raise KitError(
                f"The run {source} is of {suite.name}, and this table is of {paper}. Use a run of "
                f"{paper}: `kit runs` lists them, `kit run {paper}` makes one."
            )
        return suite.scores(file, by=by, k=k, rng=stats.seed(source), n_boot=n_boot)


def _kind(metric: str) -> str:
    return re.sub(r"@\d+", "@k", metric)


def named(name: str, source: str) -> str:
    """The name to save a figure under: a run's never takes the place of the paper's."""
    if source == PRINTED:
        return name
    return f"{name}-{re.sub(r'[^a-z0-9]+', '-', source.lower()).strip('-')}"


def agree(found: pd.DataFrame, printed: pd.DataFrame) -> pd.DataFrame:
    """How the table stands to the paper: the end of its notebook.

    The printed table: every law that the audit checks in it, as `audit.agree` gives them; raises
    Disagreement for a relation that does not stand as listed. A run: ours | low | high | paper |
    difference, and whether the printed number lies inside our interval; rows that the paper does
    not print have no number there.
    """
    if found.attrs["source"] == PRINTED:
        return audit.agree(printed.attrs["paper"], printed.attrs["table"])
    on = [*published.keys(printed), "metric"]
    ours = found[[*on, "value", "ci_low", "ci_high"]]
    ours = ours.rename(columns={"value": "ours", "ci_low": "low", "ci_high": "high"})
    both = ours.merge(printed[[*on, "value"]].rename(columns={"value": "paper"}), on=on, how="left")
    both["difference"] = both["ours"] - both["paper"]
    inside = both["paper"].between(both["low"], both["high"])
    both["verdict"] = inside.map({True: "inside", False: "outside"}).where(
        both["paper"].notna(), ""
    )
    return both


def oracle(run: str, suite: str = "dualgauge") -> pd.DataFrame:
    """Precision, recall and F1 of the verdicts of a run of labelled programs, and how many decided.

    The positive class is `pass`, as in the papers. Labels are those of data/references today; of a
    program that the run holds twice the later one counts.
    """
    found = calibrate.confusion(validate.labelled(run, suite))
    wanted = {"n": "tests", "unknown": "undecided", "precision": "precision", "recall": "recall"}
    rows = {group: found[group] for group in calibrate.GROUPS}
    flat = pd.DataFrame({name: [rows[g][key] for g in rows] for key, name in wanted.items()})
    flat["F1"] = [rows[g]["f1"] for g in rows]
    return flat.set_index(pd.Index(list(rows), name="tests of"))


def composition(source: str) -> pd.DataFrame:
    """Tasks, tests, tests per task and CWEs of a suite in data/suites, or of what a run planned."""
    if (SUITES / source).is_dir():
        tasks = spec.load(SUITES / source).tasks
        cells = [(t.id, x.id, x.kind, x.cwe) for t in tasks for x in t.tests]
        tests = pd.DataFrame(cells, columns=["task", "test", "kind", "cwe"])
    else:
        tests = store.frame(source).drop_duplicates(["task", "test"])
    n, kinds = tests["task"].nunique(), tests["kind"].value_counts()
    value = {
        "Specification-only prompts": n,
        "Total runtime tests": len(tests),
        "Avg. functional tests / prompt": kinds.get("functional", 0) / n,
        "Avg. security tests / prompt": kinds.get("security", 0) / n,
        "Covered CWE categories": tests.loc[tests["cwe"] != "", "cwe"].nunique(),
    }
    return pd.DataFrame({"property": list(value), source: [f"{v:.5g}" for v in value.values()]})
