"""Compares the oracle's verdicts on labelled programs with their labels, task by task."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from kit import store
from kit.errors import KitError
from kit.paths import REFERENCES, contents, held, own, read_json
from kit.pool import Tally
from kit.records import Sample, Task, content_key
from kit.run.pipeline import Stages
from kit.sandbox import open_sandbox
from kit.store import Store
from kit.suite import Loaded, Suite
from kit.suites import open_suite

RESULT = "validation.json"


def joined(labels: pd.DataFrame, frame: pd.DataFrame) -> pd.DataFrame:
    """The labels joined with the oracle's outcomes on the same tests."""
    outcomes = frame[["task", "program", "test", "status", "outcome", "oracle", "reason", "slot"]]
    return labels.merge(outcomes, on=["task", "program", "test"], how="left", validate="1:1")


def undecided(rows: pd.DataFrame, store: Store) -> list[dict[str, Any]]:
    """The labelled tests that the oracle left undecided: label, and the oracle's sentence."""
    out = []
    for row in rows[~rows["outcome"].isin(["pass", "fail"])].itertuples():
        verdict = store.cell(str(row.slot), str(row.test))[1]
        sentence = verdict.sentence if verdict else "It was not judged."
        names = {n: getattr(row, n) for n in ("task", "program", "test", "cwe", "label")}
        out.append(names | {"sentence": sentence})
    return out


def labelled(run: str | Path, suite: str = "dualgauge") -> pd.DataFrame:
    """The tests of a run of labelled programs: current label, outcome and language.

    Of a program that the run holds twice the later one counts.
    """
    frame = store.frame(run)
    if "program" not in frame or not (frame["model"] == "reference").all():
        raise KitError(f"The run {run} has no labelled programs. Make one with `kit validate`.")
    frame = frame.drop_duplicates(["task", "program", "test"], keep="last")
    opened = open_suite(suite)
    tasks = [t for t in opened.load().tasks if t.id in set(frame["task"])]
    known = frame[["task", "program", "test", "language"]]
    return joined(opened.references(tasks, REFERENCES)[1].merge(known), frame)


def tidy(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of `labelled` as a tidy frame of one model, with each program as one sample."""
    names = ["task", "program", "test", "kind", "cwe", "status", "outcome", "language"]
    return rows[names].assign(suite="dualgauge", model="reference", sample=0)


def execute(
    run: str | Path,
    suite: Suite,
    tasks: Sequence[Task],
    samples: Sequence[Sample],
    *,
    tier: str = "bwrap",
    workers: int = 2,
    stages: Stages | None = None,
) -> tuple[Tally, pd.DataFrame]:
    """Execute and judge these programs, and no others, into the run; the tally, the tidy table."""
    with open_sandbox(tier, suite.limits) as box, Store(run) as file:
        if any(s.created for s in file.samples()):
            raise KitError(
                f"The run {run} has answers of a model and is not overwritten. "
                "Choose another name with --run NAME."
            )
        settings = vars(suite.settings) if suite.settings else {}
        file.begin(suite=suite.name, sandbox=box.identity, settings=settings, **suite.about())
        file.keep(samples)
        file.plan(tasks, samples)
        for sample in samples:
            file.put_sample(sample)
        tally = (stages or Stages()).go(file, suite, list(tasks), box, workers=workers)
        return tally, file.frame()


def task_key(suite: Suite, task: Task, folder: Path = REFERENCES) -> str:
    """The content key of a validation: task, labelled programs, harness and oracle."""
    programs = contents(suite.programs(task, folder))
    return content_key(task, programs, suite.version(task))[:16]


def write_result(
    suite: Suite, tasks: Sequence[Task], rows: pd.DataFrame, folder: Path = REFERENCES
) -> None:
    """Keep for each task whether its references behaved as labelled, under its key.

    Nothing is kept where only the oracle was measured, for then no task rests on it.
    """
    if set(rows["test"]) <= suite.measured_tests:
        return
    path = own(folder / RESULT)
    result = read_json(path) if path.exists() else {}
    for task in tasks:
        mine = rows[rows["task"] == task.id]
        if mine.empty:
            continue
        wrong = mine[(mine["label"] != mine["outcome"]) & ~mine["test"].isin(suite.measured_tests)]
        differing = sorted(wrong["program"] + " " + wrong["test"])
        entry = {"key": task_key(suite, task, folder), "differing": differing}
        result[task.id + suite.decided] = entry
    path.write_text(json.dumps(result, indent=1, sort_keys=True) + "\n")


def refusals(suite: Suite, tasks: Sequence[Task], folder: Path = REFERENCES) -> list[str]:
    """One sentence per task without a current validation, or whose verdicts differ from labels."""
    path = held(folder / RESULT)
    result = read_json(path) if path.exists() else {}
    lines = []
    for task in tasks:
        if not any(suite.programs(task, folder).rglob("labels.json")):
            continue
        asked = task.id + suite.decided
        known = result.get(asked)
        if known is None or known["key"] != task_key(suite, task, folder):
            lines.append(f"{asked}: not validated with this version of the task and the oracle.")
        elif known["differing"]:
            differing = ", ".join(known["differing"])
            lines.append(f"{task.id}: the oracle's verdicts differ from the labels of {differing}.")
    return lines


def fit(suite: Suite, loaded: Loaded) -> Loaded:
    """The tasks whose references behave as labelled; the others are listed as problems."""
    path = suite.labels / RESULT
    result = read_json(path) if path.exists() else {}
    wrong = {name: known["differing"] for name, known in result.items() if known["differing"]}
    left = [f"{t.id} is left out: its labelled programs misbehave ({', '.join(wrong[t.id])})."
            for t in loaded.tasks if t.id in wrong]  # fmt: skip
    tasks = tuple(t for t in loaded.tasks if t.id not in wrong)
    new = sum(
        t.id not in result or result[t.id]["key"] != task_key(suite, t, suite.labels) for t in tasks
    )
    if new:
        left.append(f"{new} tasks have no current validation. Run `kit validate {suite.name}`.")
    return replace(loaded, tasks=tasks, problems=(*loaded.problems, *left))
