"""Compares SVEN-SR with correctness and security, prompt by prompt, in a run of codeguard."""

import shutil
from collections.abc import Mapping, Sequence
from itertools import permutations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd

from kit import explore
from kit.core.errors import KitError
from kit.core.paths import RUNS, require_run, run_folder, run_path
from kit.core.store import Store
from kit.generation.replay import SAMPLES, Replay
from kit.run.job import Job
from kit.run.suites import of_run, open_suite
from kit.sandbox import open_sandbox
from kit.scoring import measures, reduce, stats
from kit.scoring.measure import MOST_UNDECIDED
from kit.systems.codeguard import scores
from kit.systems.codeguard.decode.model import METHODS
from kit.systems.codeguard.engines import Engines, measure_engines
from kit.systems.codeguard.suite import CompletionSuite

LABELLED = "codeguard-labelled"  # the labelled completions, executed and scanned
AXES = {"pass@1": "functional", "secure-pass@1": "joint"}
RATES = ["SVEN-SR", *AXES]


def run_of(source: str) -> str:
    """The source itself if it is a run; else the run of this recording, executed and judged once.

    Raises KitError if the recording belongs to another suite.
    """
    if run_path(source).exists():
        return source
    suite = open_suite(CompletionSuite.name)
    job = Job.of(suite, suite.load().tasks, f"replay:{source}")
    others = {sample.task for sample in Replay(source).samples} - {task.id for task in job.tasks}
    if others:
        raise KitError(
            f"The recording {source} has {min(others)}, which is not a task of codeguard. "
            "Use a recording of codeguard, such as codeguard-smollm2."
        )
    folder = Path(source) / "executed"
    if (run_folder(source) / SAMPLES).is_file():
        folder = RUNS / f"_codeguard-{Path(source).name}"
    job.go(str(folder))
    return str(folder)


def method_scores(
    runs: Sequence[str], methods: Sequence[str], *, tasks: Sequence[str] = (), n_boot: int
) -> pd.DataFrame:
    """Scores of models and decoding methods on the tasks that all have; one row each and metric.

    More rows compare them without the arm that has the fewest tasks. methods, tasks: use only
    these; none means all. The column `tasks`: the number of tasks compared.
    """
    frames = []
    facts_of_runs = []
    for run in runs:
        with Store(run, write=False) as store:
            frames.append(store.frame())
            facts_of_runs.append(scores.collect_sample_facts(store, suite_of(run, store).items))
    frame = pd.concat(frames, ignore_index=True)
    facts = pd.concat(facts_of_runs)
    present: list[Any] = []
    for column, wanted in (("task", tasks), ("decoding", methods)):
        present = list(frame[column].dropna().unique()) if column in frame else []
        explore.check_known(column, wanted, present)
        if wanted:
            frame = frame[frame[column].isin(wanted)]
    frame, by = explore.find_arms(frame, "model", "decoding")
    frame["arm"] = list(zip(*(frame[column] for column in by), strict=True))
    tasks_of = {arm: {*part["task"]} for arm, part in frame.groupby("arm", sort=False)}
    if "decoding" in by:
        order = [*(methods or METHODS), *present, measures.NOT_SET]
        decoding = by.index("decoding")
        arms = sorted(tasks_of, key=lambda arm: order.index(arm[decoding]))
        tasks_of = {arm: tasks_of[arm] for arm in arms}
    varied = [place for place, column in enumerate(by) if frame[column].nunique() > 1]
    tables = []
    for panel in _choose_panels(tasks_of):
        shared = set.intersection(*(tasks_of[arm] for arm in panel))
        part = frame[frame["arm"].isin(panel) & frame["task"].isin(shared)].drop(columns="arm")
        names = []
        for arm in panel:
            names.append(" ".join(str(arm[place]) for place in varied))
        rng = stats.seed(",".join(names))
        table = scores.measure_samples(part, facts, by=by, k=(1,), rng=rng, n_boot=n_boot)
        tables.append(table.assign(tasks=len(shared)))
    return pd.concat(tables, ignore_index=True).drop_duplicates(["tasks", *by, "metric"])


def _choose_panels(tasks_of: Mapping[Any, set[str]]) -> list[list[Any]]:
    """Arms with common tasks: all; all but that of the fewest tasks; alone one of neither."""
    arms = list(tasks_of)
    rarest = min(arms, key=lambda arm: len(tasks_of[arm]))
    panels = []
    alone = arms
    for panel in (arms, [arm for arm in arms if arm != rarest]):
        if panel and set.intersection(*(tasks_of[arm] for arm in panel)):
            panels.append(panel)
            alone = [arm for arm in alone if arm not in panel]
    return panels + [[arm] for arm in alone]


def engines(run: str, tasks: Sequence[str] = (), *, data: str = "") -> Engines:
    """Results of every engine on a run of `kit validate codeguard`; KitError for another run.

    tasks: ids; none means all. data: another folder of tasks, as validated. Programs not yet
    scanned with the current engine version and rules are scanned now, and kept in the run; of the
    run that ships (`LABELLED`) only a copy is changed.
    """
    with TemporaryDirectory() as folder:
        file = require_run(run)
        if run == LABELLED:
            file = shutil.copyfile(file, Path(folder, file.name))
        with Store(file) as store:
            opened = suite_of(run, store)
            chosen = opened.load(Path(data) if data else None).select_tasks(tasks)
            ids = {task.id for task in chosen}
            samples = []
            for sample in store.samples():
                if sample.task in ids and "program" in sample.arm:
                    samples.append(sample)
            if not samples:
                raise KitError(
                    f"The run {run} has no labelled completions of these tasks. Make one with "
                    "`kit validate codeguard --run NAME`; name a folder of your own tasks as data."
                )
            with open_sandbox("bwrap", opened.limits) as box:
                return measure_engines(opened.items, chosen, samples, box, store)


def suite_of(source: str, store: Store) -> CompletionSuite:
    """The suite of an open run; KitError if it is not codeguard."""
    suite = of_run(store)
    if not isinstance(suite, CompletionSuite):
        raise KitError(
            f"The run {source} belongs to {suite.name}. Use a run of {CompletionSuite.name}: make "
            "one with `kit run codeguard`, or use the recording codeguard-smollm2."
        )
    return suite


def per_prompt(source: str, *, by: str = "") -> pd.DataFrame:
    """SVEN-SR, pass@1, secure-pass@1 and constraint rate in per cent, per task and arm of a run.

    source: a run, or a recording, which is executed and judged once. by: a column that comes first
    in the names of the arms; the model and what else tells answers apart follow where they differ.
    samples: number per row. A rate with more than 5 % undecided has no value; its bounds are the
    columns "pass@1 low", "pass@1 high" and so on. The columns follow CodeGuard+'s table 6.
    """
    with Store(run_of(source), write=False) as store:
        frame = store.frame()
        facts = scores.collect_sample_facts(store, suite_of(source, store).items)
    explore.check_known("column", [by] if by else [], measures.arm_columns(frame))
    frame, columns = explore.find_arms(frame, *filter(None, [by]), "model", "decoding")
    varied = [column for column in columns if column == by or frame[column].nunique() > 1]
    frame["arm"] = frame[varied or ["model"]].astype(str).agg(", ".join, axis=1)
    shares = pd.concat({arm: scores.per_task(part, facts) for arm, part in frame.groupby("arm")})
    samples = reduce.summarize_samples(frame)
    groups = samples.groupby(["arm", "task"], sort=False)
    rows = groups.agg(model=("model", "first"), samples=("counted", "sum"))
    rows["SVEN-SR"] = 100 * shares["SVEN-SR"]
    for metric, axis in AXES.items():
        low = 100 * groups[f"{axis}_low"].mean()
        high = 100 * groups[f"{axis}_high"].mean()
        passed = samples[axis].fillna(value=False).where(samples["counted"])
        value = 100 * passed.astype(float).groupby([samples["arm"], samples["task"]]).mean()
        rows[metric] = value.where(high - low <= 100 * MOST_UNDECIDED)
        rows[f"{metric} low"] = low
        rows[f"{metric} high"] = high
    rows["constraint rate"] = 100 * shares["constraint rate"]
    return rows.reset_index()


def reversals(rows: pd.DataFrame, *, least: float = 0.0) -> pd.DataFrame:
    """Prompts where one arm's SVEN-SR is no lower, but its joint rate lower by more than `least`.

    Differences are in percentage points, first arm minus second (figure 7 of CodeGuard+).
    """
    reversed_tasks = []
    for task, part in rows.groupby("task", sort=False):
        each = part.set_index("arm")
        for one, two in permutations(each.index, 2):
            gain = each.loc[one, RATES].astype(float) - each.loc[two, RATES].astype(float)
            if gain["SVEN-SR"] >= 0 and gain["secure-pass@1"] < -least:
                reversed_tasks.append({"task": task, "arm": one, "against": two, **gain})
    return pd.DataFrame(reversed_tasks, columns=["task", "arm", "against", *RATES])
