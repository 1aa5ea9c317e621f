"""What a notebook asks of a run that it makes: who takes part, what was recorded, several arms."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from kit.paths import run_folder
from kit.run import sweep
from kit.run.judging import Judging
from kit.run.stages import Planning, Stages
from kit.suites import open_suite


def stages(*, planner: str = "parse", model: str = "", oracle: str = "offline") -> Stages:
    """The models with a hand in execution and judgement, for Job.go; by default none.

    planner: parse, llm or parse-then-llm, the last two by `model`; oracle: offline, or the model
    that judges what the rules leave undecided. KitError for a planner unknown or without a model.
    """
    planning = None if planner == "parse" else Planning(planner, model)
    return Stages(planning, None if oracle == "offline" else Judging(oracle))


def recorded_scores(recording: str) -> pd.DataFrame | None:
    """The scores that lie beside a recording in data/runs; None where there are none."""
    path = run_folder(recording) / "scores.csv"
    return pd.read_csv(path) if path.is_file() else None


def arms(
    named: Sequence[Mapping[str, Any]], *, suite: str = "dualgauge", limit: int = 0
) -> pd.DataFrame:
    """The tidy table of several arms, told apart by `arm`, on the tasks that every one answered.

    named: each with a name `arm` and either `model` with settings, which is run or goes on, or
    `run` with `where`. limit: the first so many tasks. KitError for an arm that is neither.
    """
    held = open_suite(suite)
    return sweep.common(sweep.go(named, held.load().tasks[: limit or None], suite=held))
