"""Measures executor and oracle on labelled programs, and corrects scores for their errors.

Test level: precision, recall and F1 as in DualGauge's table 8. Sample level: sensitivity and
specificity of "this program passes everything", which is what secure-pass@k is made of.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from kit.core.errors import KitError
from kit.core.records import Evidence, Status
from kit.explore.labels import DECIDED
from kit.run import validate
from kit.scoring import at_k, correction, measures, reduce
from kit.scoring.bootstrap import group_by_task
from kit.scoring.rates import bootstrap_rates, count_confusion
from kit.scoring.stats import Interval, wilson_interval

AXES = {"functional": ("functional",), "secure": ("security",), "joint": ("functional", "security")}
NAMES = {"functional": "pass", "secure": "secure", "joint": "secure-pass"}
RATES = ("precision", "recall", "F1")


def score_executor(rows: pd.DataFrame) -> pd.DataFrame:
    """tp, fp, fn of "this test was executed", one row per functional test of a labelled program.

    Every labelled program can be executed, and the oracle's verdict on its result must agree with
    its label. tp: executed, and they agree; fp: executed, and they disagree; fn: not executed, or
    undecided.
    """
    from kit.harness import find_failure_origin

    rows = rows[rows["kind"] == "functional"]
    ran = rows["status"].map(lambda s: find_failure_origin(Evidence(Status(s))) == "")
    decided = ran & rows["outcome"].isin(DECIDED)
    same = rows["outcome"] == rows["label"]
    counts = pd.DataFrame({"tp": decided & same, "fp": decided & ~same, "fn": ~decided})
    return rows.assign(**counts.astype(int))


def score_evaluator(rows: pd.DataFrame) -> pd.DataFrame:
    """tp, fp, fn of the verdict `pass` against the labels, one row per decided test."""
    rows = rows[rows["outcome"].isin(DECIDED)]
    return rows.assign(**count_confusion(rows, positive="pass"))


COMPONENTS = {"Agentic Executor": score_executor, "LLM-Based Evaluator": score_evaluator}


def component_rates(
    rows: pd.DataFrame,
    *,
    of: Sequence[str] = tuple(COMPONENTS),
    by: str | None = None,
    rng: np.random.Generator,
    n_boot: int = 5000,
    level: float = 0.95,
) -> pd.DataFrame:
    """Precision, recall and F1 of our counterparts of the components in table 8.

    of: the components' names in the paper. by: a column to group by; default: all rows together.
    Intervals resample tasks. Without errors such an interval has no width; Wilson's interval over
    tasks replaces it.
    """
    lines = []
    for component in of:
        counts = COMPONENTS[component](rows)
        for name, part in [("all", counts)] if by is None else counts.groupby(by, sort=True):
            n = part["task"].nunique()
            sure = wilson_interval(n, n, level=level, unit="task (Wilson)")
            intervals = bootstrap_rates(part, part["task"], rng=rng, n_boot=n_boot, level=level)
            for metric, i in zip(RATES, intervals.values(), strict=True):
                i = sure if i.estimate == 1 and i.low == i.high else i
                row = {"metric": metric, "value": i.estimate, "ci_low": i.low, "ci_high": i.high}
                of_part = {"component": component, by or "of": name}
                lines.append({**of_part, **row, "tests": len(part), "tasks": n})
    return pd.DataFrame(lines)


def summarize_programs(rows: pd.DataFrame) -> pd.DataFrame:
    """One row per labelled program: for each axis the ground truth and the verdict.

    true: every test of the axis is labelled pass. said: the oracle passes every test, so an
    undecided test counts as not passed, as in the scores.
    """
    keys = ["task", "program"]
    parts: dict[str, pd.Series] = {}
    for axis, kinds in AXES.items():
        mine = rows[rows["kind"].isin(kinds)]
        good = mine.assign(true=mine["label"] == "pass", said=mine["outcome"] == "pass")
        both = good.groupby(keys, sort=False)[["true", "said"]].all()
        parts |= {f"{axis}_{side}": both[side] for side in both}
        parts[f"{axis}_tests"] = good.groupby(keys, sort=False).size()
    return pd.DataFrame(parts).fillna(value=False).reset_index()


def levels(rows: pd.DataFrame) -> pd.DataFrame:
    """Sensitivity and specificity of single tests and of whole programs, with Wilson's limits.

    "if independent": the sensitivity over whole programs that single tests' would give if errors
    fell independently: the mean over truly passing programs of the product over their tests.
    """
    lines, programs = [], summarize_programs(rows)
    decided = rows[rows["outcome"].isin(DECIDED)]
    for axis, kinds in AXES.items():
        tests = decided[decided["kind"].isin(kinds)]
        passed, true = tests["outcome"] == "pass", tests["label"] == "pass"
        row = _measure_errors(passed, true)
        lines.append({"axis": axis, "of": "tests", **row})
        good = programs[f"{axis}_true"]
        chance = (row["sensitivity"] ** programs.loc[good, f"{axis}_tests"]).mean()
        row = _measure_errors(programs[f"{axis}_said"], good)
        lines.append({"axis": axis, "of": "programs", **row, "if independent": chance})
    return pd.DataFrame(lines).set_index(["axis", "of"])


def _measure_errors(said: pd.Series, true: pd.Series) -> dict[str, float]:
    shares: dict[str, float] = {}
    for name, kind in (("sensitivity", True), ("specificity", False)):
        mine = said[true == kind] == kind
        i = wilson_interval(int(mine.sum()), len(mine))
        shares |= {name: i.estimate, f"{name} low": i.low, f"{name} high": i.high}
        shares |= {"passes" if kind else "fails": len(mine)}
    return shares


def simulated_judge(
    rows: pd.DataFrame,
    *,
    sensitivity: float,
    specificity: float,
    rng: np.random.Generator,
    kinds: Sequence[str] = ("functional", "security"),
) -> pd.DataFrame:
    """The rows with verdicts of a simulated judge that errs independently on tests of `kinds`."""
    true, mine = (rows["label"] == "pass").to_numpy(), rows["kind"].isin(kinds)
    right = rng.random(len(rows)) < np.where(true, sensitivity, specificity)
    verdicts = np.where(true == right, "pass", "fail")
    return rows.assign(outcome=rows["outcome"].where(~mine, verdicts))


def corrected(
    frame: pd.DataFrame,
    labelled: pd.DataFrame,
    *,
    by: Sequence[str] | None = None,
    k: Sequence[int] = (1,),
    rng: np.random.Generator,
    n_boot: int = 5000,
    level: float = 0.95,
) -> pd.DataFrame:
    """pass@k, secure@k, secure-pass@k of a run as judged, and with the oracle's errors propagated.

    labelled: rows of kit.run.validate.labelled, whose errors are the oracle's. by: as in
    measures.measure. Samples with infrastructure failures and tasks with fewer than k samples are
    left out (`tasks` counts the remaining tasks).
    """
    known = summarize_programs(labelled)
    errors = {
        axis: correction.calibrate_judge(
            known[f"{axis}_said"], known[f"{axis}_true"], known["task"]
        )
        for axis in AXES
    }
    rows = measures.summarize_samples(frame)
    by = measures.select_arm_columns(rows) if by is None else by
    rows, lines = rows[rows["counted"]], []
    for key, part in rows.groupby(list(by), sort=False, dropna=False):
        for size in k:
            enough = part[part.groupby("task")["task"].transform("size") >= size]
            if enough["task"].nunique() < 2:
                continue
            for axis in AXES:
                passes = enough[axis].fillna(value=False).astype(float)
                data = group_by_task(passes, enough["task"])
                i = correction.corrected_at_k(
                    data, errors[axis], k=size, rng=rng, n_boot=n_boot, level=level
                )
                plain = float(at_k.estimate(data.sizes, data.sums[:, 0], k=size).mean())
                row = {"metric": f"{NAMES[axis]}@{size}", "tasks": len(data.names)}
                ends = {"judged": plain, "corrected": i.estimate, "low": i.low, "high": i.high}
                lines.append({**dict(zip(by, key, strict=True)), **row, **ends})
    return pd.DataFrame(lines)


def corrections(
    rows: pd.DataFrame,
    tasks: Sequence[str],
    *,
    rng: np.random.Generator,
    n_boot: int = 5000,
    level: float = 0.95,
) -> pd.DataFrame:
    """secure-pass@1 as judged, and corrected in two ways by the labels of `tasks` alone.

    rows: of labelled programs. Rogan-Gladen takes the errors from `tasks` and is of the others;
    prediction-powered inference is of all. truth: what the labels say of the same tasks.
    """
    known, programs = rows["task"].isin(tasks), summarize_programs(rows)
    if min(rows.loc[part, "task"].nunique() for part in (known, ~known)) < 2:
        raise KitError("A correction needs two labelled and two other tasks. Use 4 tasks or more.")
    truth = programs.groupby("task")["joint_true"].mean()
    options: dict[str, Any] = {"rng": rng, "n_boot": n_boot, "level": level}
    other = validate.build_tidy_frame(rows[~known])
    scores = corrected(other, rows[known], by=("model",), **options).set_index("metric")
    half = scores.loc["secure-pass@1"]
    share = labelled_share(programs, tasks, level=level)
    rest, whole = truth.drop(tasks).mean(), truth.mean()
    lines = [
        ("as judged", "other half", half["judged"], np.nan, np.nan, rest),
        ("Rogan-Gladen", "other half", *half[["corrected", "low", "high"]], rest),
        ("prediction-powered", "all", share.estimate, share.low, share.high, whole),
    ]
    return pd.DataFrame(lines, columns=["method", "tasks", "value", "ci_low", "ci_high", "truth"])


def with_calibrated(
    scores: pd.DataFrame,
    frame: pd.DataFrame,
    run: str,
    suite: str,
    *,
    k: Sequence[int],
    rng: np.random.Generator,
    n_boot: int,
) -> pd.DataFrame:
    """The measures of a run, followed by the calibrated estimates, marked "(calibrated)".

    run: the run of the suite's labelled programs, whose errors correct the scores of `frame`.
    """
    by = measures.group_columns(scores)
    rows = validate.labelled(run, suite)
    known = summarize_programs(rows)
    points = corrected(frame, rows, by=by, k=k, rng=rng, n_boot=n_boot)
    if points.empty:
        return scores
    silent = (~rows["outcome"].isin(DECIDED)).mean()
    note = (
        f"Calibrated: Rogan-Gladen correction with {len(known)} labelled programs of "
        f"{known['task'].nunique()} tasks ({run}; {100 * silent:.0f} % of their tests are "
        "undecided and count as not passed). It is valid for similar tests only."
    )
    counts = scores.drop_duplicates(by)[[*by, *reduce.COUNTS]]
    points = points.drop(columns="judged").merge(counts, on=by)
    points = points.rename(columns={"corrected": "estimate"})
    points["metric"] += " (calibrated)"
    points = points.assign(note=note, unit="task, label", undecided=0.0)
    return pd.concat([scores, points], ignore_index=True)


def labelled_share(
    programs: pd.DataFrame, tasks: Sequence[str], *, level: float = 0.95
) -> Interval:
    """secure-pass@1 over all tasks from the verdicts on all programs and the labels of `tasks`.

    programs: `task`, `joint_said`, `joint_true`, one row a program; labels outside `tasks` are not
    looked at. Prediction-powered, with the task as the unit; the labelled tasks must be a random
    choice of all.
    """
    unknown = set(tasks) - set(programs["task"])
    if unknown:
        raise KitError(f"No programs of task {min(unknown)}. Choose among the judged tasks.")
    judged = programs.groupby("task")["joint_said"].mean()
    mine = programs[programs["task"].isin(tasks)]
    true = mine.groupby("task")["joint_true"].mean()
    others = judged.drop(index=true.index)
    return correction.prediction_powered(true, judged.loc[true.index], others, level=level)
