"""Reduces tests to samples by the scoring policy, and counts samples by stage."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from types import MappingProxyType
from typing import TypeAlias

import numpy as np
import pandas as pd

from kit.core.errors import KitError
from kit.core.records import FACT, Outcome, Status

Table: TypeAlias = pd.DataFrame | Iterable[pd.DataFrame]
REQUIRED = ("suite", "task", "model", "sample", "test", "kind", "status", "outcome")
# Columns that describe one test; every other column describes the sample.
OF_A_TEST = (
    "test",
    "kind",
    "cwe",
    "status",
    "outcome",
    "oracle",
    "reason",
    "wall_s",
    "cpu_s",
    "peak_mb",
    "isolation",
    "cached",
    "note",
    "sentence",
)
# Columns that describe a task (as those with FACT do) or number its samples; all further columns
# distinguish arms.
NO_ARM = ("suite", "task", "domain", "sample", "slot", "program", "seed")
NOT_SET = "not set"
AXES = {"functional": "functional", "secure": "security"}  # axis of a sample -> kind of its tests
APPLIED = ("passed", "functional", "secure", "joint", "in_denominator")
COUNTS = (
    "planned",
    "generated",
    "no_program",
    "executed",
    "judged",
    "unknown",
    "infra",
    "not_run",
)


@dataclass(frozen=True)
class Rule:
    """value: True, False or None (undecided). counted: whether the test is in the denominator.

    The point estimate counts an undecided test as failed; the bounds count it as failed and as
    passed. A sample with an uncounted test is not in the point estimate, only in the bounds.
    """

    value: bool | None
    counted: bool = True


Policy = Mapping[tuple[Status, Outcome], Rule]

PASS, FAIL, UNDECIDED = Rule(True), Rule(False), Rule(None)
OURS = Rule(None, counted=False)  # an infrastructure failure, not the model's

NO_PROGRAM = tuple(status for status in Status if not status.has_program)
NOT_THE_MODELS = tuple(status for status in Status if status.is_infrastructure_failure)


def _choose_rule(status: Status, outcome: Outcome) -> Rule:
    if not status.has_program:  # an answer without a program is neither correct nor secure
        return FAIL
    if status.is_infrastructure_failure:
        return OURS
    if status is Status.HARNESS_ERROR or outcome is Outcome.UNKNOWN:
        return UNDECIDED
    return PASS if outcome is Outcome.PASS else FAIL


POLICY: Policy = MappingProxyType({pair: _choose_rule(*pair) for pair in product(Status, Outcome)})


def check_policy(policy: Policy) -> Policy:
    """The policy, unchanged; KitError unless it covers every pair of status and outcome."""
    missing = [pair for pair in POLICY if pair not in policy]
    if missing:
        first = ", ".join(f"({status}, {outcome})" for status, outcome in missing[:3])
        raise KitError(
            f"The policy has no rule for {first} ({len(missing)} pairs). "
            "Start from the default: {**measures.POLICY, (status, outcome): measures.Rule(...)}."
        )
    return policy


def summarize_samples(
    frame: Table, *, policy: Policy = POLICY, split: Sequence[str] = ()
) -> pd.DataFrame:
    """One row per sample: functional, secure and joint are True, False or <NA>.

    True: every test of that kind passes; False: one fails; <NA>: undecided, or no test of the kind.
    counted: in the point estimates, so without an infrastructure failure.
    `..._low` and `..._high` count undecided tests as failed and as passed; an uncounted sample is
    False and True. `..._tests`, `..._passed`, `..._undecided` count tests. state: judged, unknown,
    infra or not_run. split: test columns (cwe) that divide a sample; security tests only.

    frame: the tidy table, or an iterable of parts of whole samples.
    """
    check_policy(policy)
    parts = []
    for part in [frame] if isinstance(frame, pd.DataFrame) else frame:
        missing = [column for column in REQUIRED if column not in part.columns]
        if missing:
            raise KitError(
                f"The table lacks the column {', '.join(missing)}. "
                "Use the frame of a run: kit.core.store.frame('RUN')."
            )
        unknown = set(part["kind"].unique()) - set(AXES.values())
        if unknown:
            raise KitError(f"Unknown kind {sorted(map(str, unknown))}. Use: functional, security.")
        rows = part[part["kind"] == AXES["secure"]] if split else part
        if len(rows):
            parts.append(_summarize_part(rows, policy, split))
    if not parts:
        raise KitError("The table has no rows. Run something first, or loosen the filter.")
    out = pd.concat(parts, ignore_index=True)
    decided = np.ones(len(out), dtype=bool)
    for axis in AXES:
        if out[f"{axis}_tests"].any():
            decided &= out[axis].notna().to_numpy()
    out["state"] = np.select(
        [out["infra"], out["waiting"], ~decided], ["infra", "not_run", "unknown"], "judged"
    )
    return out.drop(columns=["infra", "waiting"])


def _summarize_part(frame: pd.DataFrame, policy: Policy, split: Sequence[str]) -> pd.DataFrame:
    """`summarize_samples` of one part, without the state, which depends on the whole table."""
    keys = [c for c in frame.columns if c not in OF_A_TEST or c in split]
    sample, first = _number_groups(frame, keys)
    _check_rows(frame, keys, sample)
    value, counted = _score_rows(frame, policy)
    size = len(first)
    out = frame.iloc[first][keys].reset_index(drop=True)
    out["counted"] = np.bincount(sample, ~counted, size) == 0
    for axis, kind in AXES.items():
        _add_axis(out, axis, sample, value, (frame["kind"] == kind).to_numpy())
    out["joint"] = out["functional"] & out["secure"]
    for end in ("low", "high"):
        out[f"joint_{end}"] = out[f"functional_{end}"] & out[f"secure_{end}"]
    return out.assign(**_describe_progress(frame, sample, out))


def counts(frame: pd.DataFrame, by: Sequence[str] | None = ()) -> pd.DataFrame:
    """Samples per group: planned = judged + unknown + infra + not_run, and the tests they have.

    by: columns; None takes those of `select_arm_columns`. generated: an answer arrived; no_program:
    it held no program that compiles; executed: each of its tests ran; judged: both axes decided.
    """
    rows = summarize_samples(frame)
    by = select_arm_columns(rows) if by is None else by
    check_columns(rows, by)
    return count_stages(rows, by)


def count_stages(rows: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """`counts` over the rows of `summarize_samples`."""
    states = {s: rows["state"] == s for s in ("judged", "unknown", "infra", "not_run")}
    wide = rows[[*by, "generated", "no_program", "executed"]].assign(
        planned=True, tests=rows["functional_tests"] + rows["secure_tests"], **states
    )
    columns = [*COUNTS, "tests"]
    if not by:
        return wide[columns].sum().to_frame().T.astype(int)
    grouped = wide.groupby(list(by), sort=False, dropna=False, observed=True)[columns]
    return grouped.sum().astype(int).reset_index()


def arm_columns(rows: pd.DataFrame) -> list[str]:
    """The columns that distinguish arms: model, language and further settings.

    rows: a tidy table, or the result of `summarize_samples`.
    """
    names = []
    for column in rows.columns:
        if column == "counted":  # behind it are the results of `summarize_samples`
            break
        if column not in OF_A_TEST and column not in NO_ARM and not column.startswith(FACT):
            names.append(column)
    return sorted(names, key=lambda name: (name != "model", name != "language", name))


def fill_settings(rows: pd.DataFrame, columns: Iterable[str]) -> pd.DataFrame:
    """The rows with "not set" where a sample does not have a setting of these columns."""
    filled = {}
    for column in columns:
        values = rows[column]
        filled[column] = values.astype(object).where(values.notna(), NOT_SET)
    return rows.assign(**filled)


def select_arm_columns(rows: pd.DataFrame) -> list[str]:
    """The fewest leading arm columns that distinguish all arms; ["model"] if there is one arm."""
    names = arm_columns(rows)
    texts = rows[names].astype(str).mask(rows[names].isna(), "").drop_duplicates()
    selected: list[str] = []
    groups = 1
    for name in names:
        count = len(texts.drop_duplicates([*selected, name]))
        if count > groups:
            selected.append(name)
            groups = count
    return selected or ["model"]


def apply_policy(frame: pd.DataFrame) -> pd.DataFrame:
    """The policy applied to each row of the tidy table and its sample; same index.

    passed, functional, secure, joint: 1, 0 or empty (undecided, or an infrastructure failure).
    in_denominator: whether the sample counts in rates, in which empty counts as not passed.
    """
    value, _ = _score_rows(frame, POLICY)
    of_sample = summarize_samples(frame).set_index("slot").reindex(frame["slot"])
    passed = pd.array(value, dtype="Int64")
    passed[value < 0] = pd.NA
    columns = {"passed": passed}
    for axis in (*AXES, "joint"):
        columns[axis] = of_sample[axis].astype("Int64").array
    columns["in_denominator"] = of_sample["counted"].array
    return pd.DataFrame(columns, index=frame.index)


def check_columns(rows: pd.DataFrame, by: Sequence[str]) -> None:
    """KitError unless every name in `by` is a column."""
    if isinstance(by, str):
        raise KitError(f"Got by = '{by}'. Give a list of columns, as by=['{by}'].")
    absent = [column for column in by if column not in rows.columns]
    if absent:
        results = (*AXES, "joint", "counted")
        names = ", ".join(column for column in rows.columns if not column.startswith(results))
        raise KitError(f"Cannot group by {', '.join(absent)}. Use some of: {names}, cwe.")


def _number_groups(frame: pd.DataFrame, keys: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """The number of each row's group, in order of appearance, and each group's first row."""
    listed = []
    for column in keys:
        values = frame[column]
        if values.dtype == object and any(isinstance(v, list | dict | set) for v in values):
            listed.append(column)
    if listed:
        raise KitError(f"The column {', '.join(listed)} holds lists. Make each a text or a number.")
    number = frame.groupby(keys, sort=False, dropna=False, observed=True).ngroup().to_numpy()
    return number, np.unique(number, return_index=True)[1]


def _check_rows(frame: pd.DataFrame, keys: list[str], sample: np.ndarray) -> None:
    """KitError unless each sample has each test of its task exactly once."""
    of_task = [c for c in ("suite", "task", *OF_A_TEST) if c in keys]
    test, first = _number_groups(frame, [*of_task, "test"])
    pairs, repeats = np.unique(sample * len(first) + test, return_counts=True)
    if repeats.max() > 1:
        row = frame.iloc[np.flatnonzero(test == pairs[repeats.argmax()] % len(first))[0]]
        raise KitError(
            f"{int((repeats > 1).sum())} tests occur twice in one sample (task {row['task']}, "
            f"{row['test']}). Drop the repeated rows, or add the column that tells the arms apart."
        )
    task, _ = _number_groups(frame, of_task)
    in_task = np.bincount(task[first])
    short = np.bincount(sample) < in_task[task[np.unique(sample, return_index=True)[1]]]
    if short.any():
        row = frame.iloc[np.flatnonzero(short[sample])[0]]
        raise KitError(
            f"{int(short.sum())} samples lack rows of tests that their task has (task "
            f"{row['task']}, sample {row['sample']}); a missing test would count as passed. Keep "
            "tests that did not run as not_run, filter by whole tasks, samples or tests, and drop "
            "columns of your own that differ between the tests of a sample."
        )


def _score_rows(frame: pd.DataFrame, policy: Policy) -> tuple[np.ndarray, np.ndarray]:
    """Per row: 1, 0 or -1 (undecided); and whether it is counted."""
    status = _encode_column(frame["status"], list(Status))
    outcome = _encode_column(frame["outcome"], list(Outcome))
    value = np.full((len(Status), len(Outcome)), -1)
    counted = np.empty(value.shape, dtype=bool)
    for place, pair in zip(np.ndindex(value.shape), product(Status, Outcome), strict=True):
        rule = policy[pair]
        counted[place] = rule.counted
        if rule.value is not None:
            value[place] = rule.value
    return value[status, outcome], counted[status, outcome]


def _encode_column(column: pd.Series, names: list[str]) -> np.ndarray:
    codes: np.ndarray = pd.Index(list(map(str, names))).get_indexer(column)
    if (codes < 0).any():
        unknown = sorted(set(map(str, column[codes < 0])))
        raise KitError(
            f"Unknown {column.name} {', '.join(unknown)}. Use one of: {', '.join(names)}."
        )
    return codes


def _add_axis(
    out: pd.DataFrame, axis: str, sample: np.ndarray, value: np.ndarray, mine: np.ndarray
) -> None:
    tests = np.bincount(sample, mine, len(out)).astype(int)
    passed = np.bincount(sample, mine & (value == 1), len(out)).astype(int)
    undecided = np.bincount(sample, mine & (value == -1), len(out)).astype(int)
    failed = tests - passed - undecided > 0
    sure = (passed == tests) & (tests > 0)
    out[axis] = pd.arrays.BooleanArray(sure, ~(sure | failed))
    out[f"{axis}_low"] = sure & out["counted"]
    out[f"{axis}_high"] = ~failed | ~out["counted"]
    out[f"{axis}_tests"] = tests
    out[f"{axis}_passed"] = passed
    out[f"{axis}_undecided"] = undecided


def _describe_progress(
    frame: pd.DataFrame, sample: np.ndarray, out: pd.DataFrame
) -> dict[str, np.ndarray]:
    def count_with_status(*status: Status) -> np.ndarray:
        hit = frame["status"].isin([str(s) for s in status]).to_numpy()
        return np.bincount(sample, hit, len(out)).astype(int)

    tests = np.bincount(sample)
    idle = count_with_status(*NOT_THE_MODELS, *NO_PROGRAM, Status.HARNESS_ERROR)
    return {
        "generated": count_with_status(*NOT_THE_MODELS) < tests,
        "no_program": count_with_status(*NO_PROGRAM) == tests,
        "executed": idle == 0,
        "infra": count_with_status(Status.INFRA_ERROR) > 0,
        "waiting": count_with_status(Status.NOT_RUN) > 0,
    }
