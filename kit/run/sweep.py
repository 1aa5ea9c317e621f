"""A sweep: several arms over the same tasks, each a model with its settings or a finished run."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import pandas as pd

from kit import store
from kit.errors import KitError
from kit.records import Task, content_key
from kit.run.job import Job
from kit.run.stages import Planning, Stages
from kit.suite import Suite

OF_MODEL = ("model", "n", "base_url", "key_env", "budget", "planner", "planner_model")
OF_RUN = ("run", "where")
KEPT = ("suite", "task", "model", "sample", "test", "kind", "cwe", "domain", "status", "outcome",
        "oracle", "reason", "slot")  # fmt: skip


def check(arms: Sequence[Mapping[str, Any]], suite: Suite) -> None:
    """KitError unless every arm has a name of its own and either a model or a run."""
    settings = [f.name for f in fields(suite.Settings)]
    for arm in arms:
        allowed = OF_RUN if "run" in arm else (*OF_MODEL, *settings)
        odd = [k for k in arm if k not in ("arm", *allowed)]
        if odd or "arm" not in arm or ("run" not in arm and "model" not in arm):
            raise KitError(
                f"The arm {dict(arm)} is none. Give it a name as `arm` and either `model` with any "
                f"of {', '.join([*OF_MODEL[1:], *settings])}, "
                "or `run` with `where` ({column: value})."
            )
    names = [arm["arm"] for arm in arms]
    if len(set(names)) < max(2, len(names)):
        raise KitError(f"Got the arms {names}. Give two or more, each with another name.")


def go(
    arms: Sequence[Mapping[str, Any]],
    tasks: Sequence[Task],
    *,
    suite: Suite,
    workers: int = 2,
) -> pd.DataFrame:
    """The tidy frame of all arms with a column `arm`; a model's arm is run, or goes on, in a run
    of its own below data/runs, a run's arm is read. Rows of other tasks are left out."""
    check(arms, suite)
    parts = []
    for arm in arms:
        frame = _read(arm) if "run" in arm else _run(arm, tasks, suite, workers)
        frame = frame[frame["task"].isin({t.id for t in tasks})]
        if frame.empty:
            raise KitError(f"The arm {arm['arm']!r} has no rows for these tasks. Loosen `where`.")
        parts.append(frame[list(KEPT)].assign(arm=arm["arm"]))
    return pd.concat(parts, ignore_index=True)


def _read(arm: Mapping[str, Any]) -> pd.DataFrame:
    frame = store.frame(arm["run"])
    for column, value in arm.get("where", {}).items():
        if column not in frame:
            known = ", ".join(frame.columns)
            raise KitError(f"The run {arm['run']} has no column {column!r}. It has: {known}.")
        frame = frame[frame[column] == value]
    return frame


def _run(arm: Mapping[str, Any], tasks: Sequence[Task], suite: Suite, workers: int) -> pd.DataFrame:
    settings = {k: v for k, v in arm.items() if k not in ("arm", "planner", "planner_model")}
    planning, further = None, {}
    if arm.get("planner", "parse") != "parse":
        planning = Planning(arm["planner"], arm.get("planner_model", ""))
        further["planner"] = arm["planner"]
    job = Job.of(suite, tasks, **settings, arm=further)
    name = f"sweep-{content_key(dict(arm), [t.id for t in tasks])[:10]}"
    return job.go(name, workers=workers, stages=Stages(planning))[2]


def common(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows of those tasks that every arm has."""
    held = frame.groupby("task")["arm"].nunique()
    return frame[frame["task"].isin(held[held == frame["arm"].nunique()].index)]
