"""Runs a sweep from a notebook: several arms (models or finished runs) on the same tasks."""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import fields
from typing import Any

import pandas as pd

from kit.core import store
from kit.core.errors import KitError
from kit.core.paths import RUN_FILE, run_folder
from kit.core.records import Task, content_key
from kit.generation.replay import SAMPLES
from kit.run.job import Job
from kit.run.judging import Judging, Planning
from kit.run.pipeline import Stages
from kit.run.suite import Suite
from kit.run.suites import open_suite
from kit.scoring import measures, stats

OF_MODEL = ("model", "n", "base_url", "key_env", "budget", "planner", "planner_model")
OF_RUN = ("run", "where")
KEPT = "suite task model sample test kind cwe domain status outcome oracle reason slot".split()


def check_arms(arms: Sequence[Mapping[str, Any]], suite: Suite) -> None:
    """KitError unless every arm has a unique name and either a model or a run."""
    settings = [field.name for field in fields(suite.Settings)]
    for arm in arms:
        allowed = OF_RUN if "run" in arm else (*OF_MODEL, *settings)
        unknown = set(arm) - {"arm", *allowed}
        if unknown or "arm" not in arm or ("run" not in arm and "model" not in arm):
            raise KitError(
                f"The arm {dict(arm)} is invalid. Give it a name `arm` and either `model` with any "
                f"of {', '.join([*OF_MODEL[1:], *settings])}, "
                "or `run` with `where` ({column: value}; None: no value)."
            )
    names = {arm["arm"] for arm in arms}
    is_alone = not arms or (len(arms) == 1 and "run" not in arms[0])
    if len(names) < len(arms) or is_alone:
        listed = [arm["arm"] for arm in arms]
        raise KitError(f"Got the arms {listed}. Give two or more arms with different names.")


def run_arms(
    arms: Sequence[Mapping[str, Any]], tasks: Sequence[Task], *, suite: Suite
) -> pd.DataFrame:
    """The tidy frame of all arms on `tasks`, with a column `arm`. An arm with a model is run, or
    continued, in its own run in data/runs; an arm with a run is read, and is several, with longer
    names, where that has several answers to one task: of models, languages, prompts."""
    check_arms(arms, suite)
    parts = []
    for arm in arms:
        frame = _read_arm(arm) if "run" in arm else _run_arm(arm, tasks, suite)
        frame = frame[frame["task"].isin([task.id for task in tasks])]
        if frame.empty:
            raise KitError(f"The arm {arm['arm']!r} has no rows for these tasks. Loosen `where`.")
        frame, apart = find_arms(frame)
        names = arm["arm"]
        if apart:
            names = frame[apart].astype(str).agg(", ".join, axis=1)
            if arm["arm"]:
                names = f"{arm['arm']}, " + names
        parts.append(frame[KEPT].assign(arm=names))
    whole = pd.concat(parts, ignore_index=True)
    if whole["arm"].nunique() < 2:
        raise KitError(f"Got one arm, {whole['arm'].iloc[0]!r}. Give two or more to compare.")
    return whole


def _read_arm(arm: Mapping[str, Any]) -> pd.DataFrame:
    """The rows of a run that an arm's `where` names."""
    frame = store.frame(arm["run"])
    for column, value in arm.get("where", {}).items():
        if column not in frame:
            columns = ", ".join(frame.columns)
            raise KitError(f"The run {arm['run']} has no column {column!r}. It has: {columns}.")
        if value is None:
            frame = frame[frame[column].isna()]
            continue
        check_known(column, [value], frame[column].dropna().unique())
        frame = frame[frame[column] == value]
    return frame


def _run_arm(arm: Mapping[str, Any], tasks: Sequence[Task], suite: Suite) -> pd.DataFrame:
    settings = dict(arm)
    del settings["arm"]
    planner = settings.pop("planner", "parse")
    model = settings.pop("planner_model", "")
    further = {} if planner == "parse" else {"planner": planner}
    job = Job.of(suite, tasks, **settings, arm=further)
    name = f"sweep-{content_key(dict(arm), [task.id for task in tasks])[:10]}"
    _, _, frame = job.go(name, stages=stages(planner=planner, model=model))
    return frame


def keep_common_tasks(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows of those tasks that every arm has."""
    arms = frame.groupby("task")["arm"].nunique()
    shared = frame[frame["task"].isin(arms[arms == frame["arm"].nunique()].index)]
    if shared.empty:
        raise KitError(f"No task was answered by all of {', '.join(frame['arm'].unique())}.")
    return shared


def stages(*, planner: str = "parse", model: str = "", oracle: str = "offline") -> Stages:
    """The models used in execution and judgement, for Job.go; by default none.

    planner: parse, llm or parse-then-llm, the last two by `model`; oracle: offline, or the model
    that judges undecided tests. KitError for a planner that is unknown or has no model.
    """
    planning = None if planner == "parse" else Planning(planner, model)
    judging = None if oracle == "offline" else Judging(oracle)
    return Stages(planning, judging)


def recorded_scores(recording: str, tasks: Sequence[Task] | None = None) -> pd.DataFrame | None:
    """The scores of a recording, stored beside it; undecided tests count as not passed.

    tasks: the tasks to score if the judged run is stored there; default: all. None if neither
    scores nor a run are stored, and for a run that is no recording.
    """
    folder = run_folder(recording)
    path = folder / "scores.csv"
    if path.is_file():
        return pd.read_csv(path)
    if not ((folder / RUN_FILE).is_file() and (folder / SAMPLES).is_file()):
        return None
    frame = store.frame(recording)
    if tasks is not None:
        frame = frame[frame["task"].isin({task.id for task in tasks})]
    scores = measures.measure(frame, by=["model"], k=(1,), rng=stats.seed(recording), n_boot=1)
    value = 100 * scores["bound_low"]
    printed = value.map("{:.2f}".format)
    return scores.assign(value=value, printed=printed, tolerance=0.005, unit="%")[
        ["metric", "value", "printed", "tolerance", "unit"]
    ]


def arms(
    named: Sequence[Mapping[str, Any]], *, suite: str = "dualgauge", limit: int = 0
) -> pd.DataFrame:
    """The tidy table of several arms (column `arm`) on the tasks that all arms answered.

    named: arms, each with a name `arm` and either `model` with settings, which is run or continued,
    or `run` with `where`. limit: number of tasks. KitError for an invalid arm.
    """
    opened = open_suite(suite)
    return keep_common_tasks(run_arms(named, opened.load().tasks[: limit or None], suite=opened))


def find_arms(frame: pd.DataFrame, *first: str) -> tuple[pd.DataFrame, list[str]]:
    """The tidy table, and the columns that tell the answers to one task apart; no value: "not set".

    first: come first where the table has them; then further arm columns, where answers differ.
    """
    columns = [name for name in first if name in frame]
    for name in measures.arm_columns(frame):
        if name in columns:
            continue
        if frame.groupby(["task", *columns], dropna=False)[name].nunique(dropna=False).max() > 1:
            columns.append(name)
    return measures.fill_settings(frame, columns), columns


def check_known(name: str, wanted: Sequence[str], there: Sequence[str]) -> None:
    """KitError for a wanted `name` that is not there, with those that are."""
    absent = [value for value in wanted if value not in there]
    if absent:
        listed = ", ".join(map(str, there)) or "none"
        raise KitError(f"There is no {name} {', '.join(map(repr, absent))}. There are: {listed}.")


def read_lists(**values: Any) -> list[list[Any]]:
    """Each value, a list or the JSON text of one, as a list; KitError with its name for others.

    Papermill gives `-p k "[1, 2]"` as a text.
    """
    lists = []
    for name, value in values.items():
        if isinstance(value, str):
            with suppress(ValueError):
                value = json.loads(value)
        if not isinstance(value, list):
            raise KitError(
                f"{name} = {value!r} is not a list. Write it like {name} = [1, 2], or "
                f"""papermill -y '{name}: ["one", "two"]'."""
            )
        lists.append(value)
    return lists
