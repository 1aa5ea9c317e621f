"""Measures oracles of security tests on labelled programs, by author and by CWE.

The positive class is `fail`: an oracle is there to find insecure programs. coverage = decided /
all. A fixed hash of its id puts a task into one of two halves; authors see the first only.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from kit.core.errors import KitError
from kit.core.paths import DATA, REFERENCES, read_json
from kit.core.records import Sample, Task, Trial
from kit.core.store import Store
from kit.run import report, validate
from kit.sandbox import Sandbox
from kit.scoring import agreement, stats
from kit.scoring.rates import bootstrap_rates, count_confusion, precision_recall_f1
from kit.systems.dualgauge import spec
from kit.systems.dualgauge.suite import SpecSuite

RECORD = DATA / "measured" / "compiled.csv"
FOLDERS = {
    "official": DATA / "labelled" / "dualgauge" / "official",
    "fresh": DATA / "labelled" / "dualgauge" / "fresh",
    "unseen": DATA / "labelled" / "dualgauge" / "unseen",
}
ORACLES = ("compiled", "probes alone")
OPINIONS = RECORD.with_name("opinions.csv")
COLUMNS = [
    "set",
    "half",
    "task",
    "program",
    "language",
    "test",
    "cwe",
    "label",
    "outcome",
    "rule",
    "status",
    "said",
]
HALVES = ("tuning", "held out")
_EXPECTED = re.compile(r"^Expected: .*?; seen ", re.DOTALL)


class CompiledSuite(SpecSuite):
    """Judges security tests alone, by the probes that the tasks have: see `judged_by`."""

    def trials(
        self, tasks: Mapping[str, Task], samples: Iterable[Sample], box: Sandbox, store: Store
    ) -> Iterator[Sequence[Trial]]:
        for part in super().trials(tasks, samples, box, store):
            yield [t for t in part if t.cells[0].test.kind == "security"]

    def references(
        self, tasks: Sequence[Task], folder: Path = REFERENCES
    ) -> tuple[list[Sample], pd.DataFrame]:
        """The labelled programs, and their security tests that have a label."""
        known = []
        for task in tasks:
            path = folder / task.id / "labels.json"
            labels = read_json(path).values() if path.exists() else ()
            ids = {test for program in labels for test in program["tests"]}
            known.append(replace(task, tests=tuple(t for t in task.tests if t.id in ids)))
        samples, rows = SpecSuite().references(known, folder)
        return samples, rows[rows["kind"] == "security"]


def change_tests(task: Task, **changes: Any) -> Task:
    """The task with these fields of all its tests changed."""
    return replace(task, tests=tuple(replace(test, **changes) for test in task.tests))


def half_of_task(task: str) -> str:
    """The half that a task belongs to; it depends on the task's id alone."""
    return stats.half_of(f"rules:{task}", HALVES)


def build_table(rows: pd.DataFrame, *, name: str) -> pd.DataFrame:
    """The columns of the record, from labels joined with verdicts; name: of the set.

    said: the verdict's sentence without the expectation, where the verdict is not the label.
    """
    halves = rows["task"].map(half_of_task)
    named = rows.rename(columns={"oracle": "rule"}).assign(set=name, half=halves)
    sentences = named["sentence"].str.replace(_EXPECTED, "", regex=True)
    return named.assign(said=sentences.where(named["outcome"] != named["label"], ""))[COLUMNS]


def read_record(path: Path = RECORD) -> pd.DataFrame:
    """The table of the last recorded measurement."""
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def wrong(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows whose verdict is decided and differs from the label."""
    return rows[rows["outcome"].isin(["pass", "fail"]) & (rows["outcome"] != rows["label"])]


def summary(rows: pd.DataFrame, *, n_boot: int = 5000) -> pd.DataFrame:
    """For each set and half: counts, coverage, and F1 (fail) with limits that resample tasks."""
    groups = [*rows.groupby(["set", "half"], sort=True)]
    groups += [((name, "both"), part) for name, part in rows.groupby("set")]
    return pd.DataFrame(
        [
            {
                "set": s,
                "half": h,
                "tasks": part["task"].nunique(),
                **counts(part),
                **_f1_limits(part, s + h, n_boot),
            }
            for (s, h), part in groups
        ]
    )


def count_by_column(rows: pd.DataFrame, column: str) -> pd.DataFrame:
    """One row per rule, CWE or language: the confusion counts and the share of right verdicts.

    right: the share of decided tests, with Wilson's limits, which are too narrow because they treat
    tests as independent.
    """
    lines = []
    for key, part in rows.groupby(column, sort=True):
        cells = counts(part)
        n, right = cells["decided"], cells["tp"] + cells["tn"]
        i = stats.wilson_interval(right, n) if n else None
        ends = (i.estimate, i.low, i.high) if i else (np.nan,) * 3
        shares = dict(zip(("right", "low", "high"), ends, strict=True))
        lines.append({column: key, "tasks": part["task"].nunique(), **cells, **shares})
    return pd.DataFrame(lines)


def counts(rows: pd.DataFrame) -> dict[str, Any]:
    """Counts and rates; tp: an insecure program fails, fp: a secure one fails, fn: the reverse."""
    tp, fp, fn, tn, undecided = count_confusion(rows).sum().tolist()
    decided = len(rows) - undecided
    head = {"n": len(rows), "decided": decided, "coverage": decided / len(rows)}
    counts = {"tp": tp, "fp": fp, "fn": fn, "tn": tn}
    return head | counts | precision_recall_f1(tp, fp, fn)


def _f1_limits(rows: pd.DataFrame, name: str, n_boot: int) -> dict[str, float]:
    """Percentile limits of F1 (fail) over tasks."""
    if rows["task"].nunique() < 2:
        return {}
    counts = count_confusion(rows)
    f1 = bootstrap_rates(counts, rows["task"], rng=stats.seed(name), n_boot=n_boot)["f1"]
    return {"f1 low": f1.low, "f1 high": f1.high}


def believed(said: dict[str, pd.DataFrame], *, least: float = 0.8) -> pd.DataFrame:
    """For each CWE: which of several oracles to believe, by Wilson's lower limit.

    said: an oracle's name -> rows with task, program, test, cwe, label, outcome. An oracle is
    believed where the lower limit of its share of right verdicts is at least `least`. With few
    labels no oracle is believed.
    """
    parts = []
    for name, rows in said.items():
        shares = count_by_column(rows, "cwe").set_index("cwe")[["decided", "right", "low"]]
        columns = [f"{name}: {column}" for column in ("decided", "right", "at least")]
        parts.append(shares.set_axis(columns, axis=1))
    table = pd.concat(parts, axis=1).sort_index()
    for name in said:
        table[f"{name}: decided"] = table[f"{name}: decided"].fillna(0).astype(int)
    believed = []
    for _, row in table.iterrows():
        names = [name for name in said if row[f"{name}: at least"] >= least]
        believed.append(" and ".join(names) or "neither: read the program")
    return table.assign(believe=believed).rename_axis("cwe").reset_index()


def compare_on_same_tests(compiled: pd.DataFrame, opinions: pd.DataFrame) -> pd.DataFrame:
    """For each set and all: counts and rates of compiled probes, a judge, and both, on equal tests.

    both: the probes' verdict, and the judge's where they are undecided. calls: questions to a model
    for these tests; the probes' questions were asked once for each test, before any program.
    """
    keys = ["set", "task", "program", "test"]
    judged = opinions[[*keys, "outcome"]].rename(columns={"outcome": "judge"})
    shared = compiled.rename(columns={"outcome": "compiled"}).merge(judged, on=keys)
    undecided = shared["compiled"] == "unknown"
    shared["both"] = shared["compiled"].mask(undecided, shared["judge"])
    calls = {"compiled": False, "judge": True, "both": undecided}
    lines = []
    for oracle, is_asked in calls.items():
        rows = shared.assign(outcome=shared[oracle], calls=is_asked)
        for name, part in [("all", rows), *rows.groupby("set")]:
            line = {"set": name, "oracle": oracle, **counts(part)}
            lines.append(line | {"calls": int(part["calls"].sum())})
    return pd.DataFrame(lines)


class OracleRecord:
    """A recorded measurement of an oracle, with the functions that a notebook applies to it."""

    summary = staticmethod(summary)
    wrong = staticmethod(wrong)
    counts = staticmethod(counts)
    believed = staticmethod(believed)
    compare_on_same_tests = staticmethod(compare_on_same_tests)
    agreement = staticmethod(agreement.estimate_intervals)

    def __init__(self, path: str = "") -> None:
        """path: of a table, or the name of a recorded one in data/labelled/dualgauge/official."""
        named = RECORD.with_name(f"{path or 'compiled'}.csv")
        self.rows = read_record(Path(path) if "." in path else named)

    @staticmethod
    def checks() -> pd.DataFrame:
        """One row per shipped compiled test: outcomes of check programs, variants, reason."""
        return pd.DataFrame(
            [
                {
                    "task": overlay["item"],
                    "test": how["id"],
                    **how.get("checks", {}),
                    "variants": len(how.get("variants", ())),
                    "reason": how["reason"],
                    "by": how["by"],
                }
                for overlay in spec.load_shipped_overlays()
                for how in overlay.get("tests", {}).values()
            ]
        )

    @staticmethod
    def opinions(run: str = "") -> pd.DataFrame:
        """A judge's verdicts: of a run of `kit validate dualgauge --judge MODEL`, or recorded."""
        if not run:
            return read_record(OPINIONS)
        with Store(run, write=False) as store:
            rows = report.judged_rows(validate.labelled(run), store.opinions()).assign(set="own")
        if not (rows["cwe"] != "").any():
            raise KitError(
                f"The run {run} has no judge's verdict on a security test. Make one with"
                " `kit validate dualgauge --judge MODEL --run NAME`."
            )
        return rows


def measure_oracle(
    run: str | Path,
    suite: CompiledSuite,
    tasks: Sequence[Task],
    folder: Path,
    *,
    tier: str = "bwrap",
    workers: int = 2,
) -> pd.DataFrame:
    """One row per labelled security test: its label, the verdict, its rule and its sentence."""
    samples, labels = suite.references(tasks, folder)
    _, frame = validate.execute(run, suite, tasks, samples, tier=tier, workers=workers)
    rows = validate.join_labels(labels, frame).merge(
        frame[["task", "program", "language"]].drop_duplicates()
    )
    with Store(run, write=False) as store:
        cells = [store.cell(str(r.slot), str(r.test))[1] for r in rows.itertuples()]
    return rows.assign(sentence=[v.sentence if v else "It was not judged." for v in cells])


def judged_by(tasks: Sequence[Task], oracle: str) -> list[Task]:
    """The tasks without their authors' probes; with compiled probes if `oracle` names some.

    oracle: one of ORACLES, or a file of `kit task compile`.
    """
    if oracle not in ORACLES and not Path(oracle).is_file():
        raise KitError(
            f"--oracle {oracle!r} is not a file. Use {', '.join(ORACLES)} or a file of "
            "`kit task compile`."
        )
    known = None if oracle in ORACLES else spec.read_overlays(Path(oracle))
    bare = [change_tests(task, compiled_by="", probes=(), variants=()) for task in tasks]
    judged = [spec.with_overlay(task, known)[0] for task in bare]
    if oracle == "probes alone":
        return [change_tests(task, variants=()) for task in judged]
    return judged
