"""A run of the completion suite, prompt by prompt: SVEN-SR beside what is correct and secure."""

from itertools import permutations
from pathlib import Path

import pandas as pd

from kit.errors import KitError
from kit.generation.replay import SAMPLES, Replay
from kit.measures import reduce
from kit.metrics import at_k
from kit.paths import RUNS, run_path
from kit.run import validate
from kit.run.job import Job
from kit.store import Store
from kit.suites import of_run, open_suite
from kit.suites.completion import scores
from kit.suites.completion.suite import CompletionSuite

RATES = ["SVEN-SR", "pass@1", "secure-pass@1"]


def run_of(source: str) -> str:
    """The run that a source is; a recording is executed and judged into one, once.

    Raises KitError where it is of another suite.
    """
    if run_path(source).exists():
        with Store(source, write=False) as store:
            suite_of(source, store)
        return source
    suite = open_suite(CompletionSuite.name)
    job = Job.of(suite, suite.load().tasks, f"replay:{source}")
    if odd := {s.task for s in Replay(source).samples} - {t.id for t in job.tasks}:
        raise KitError(
            f"The recording {source} answers {sorted(odd)[0]}, which is no task of codeguard. Use "
            "one of its own, such as codeguard-smollm2."
        )
    name = f"_codeguard-{Path(source).name}"
    held = RUNS / name if (RUNS / source / SAMPLES).is_file() else Path(source) / "executed"
    job.go(str(held))
    return str(held)


def labelled_run(run: str) -> str:
    """The run of `kit validate codeguard`; made here, of all labelled completions, if it is not."""
    if not run_path(run).exists():
        suite = open_suite(CompletionSuite.name)
        tasks = list(suite.load().tasks)
        validate.execute(run, suite, tasks, suite.references(tasks, suite.labels)[0])
    return run


def suite_of(source: str, store: Store) -> CompletionSuite:
    """The suite of an open run; KitError where that is another one."""
    suite = of_run(store)
    if not isinstance(suite, CompletionSuite):
        raise KitError(
            f"The run {source} is of {suite.name}. This reads runs of {CompletionSuite.name}; make "
            "one with `kit run codeguard`, or use the recording codeguard-smollm2."
        )
    return suite


def read(source: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The tidy frame of a run or recording, and per slot its program and whether it met."""
    with Store(run_of(source), write=False) as store:
        return store.frame(), scores.facts(store, suite_of(source, store).items)


def per_prompt(frame: pd.DataFrame, facts: pd.DataFrame, *, by: str) -> pd.DataFrame:
    """One row per task and arm: `RATES` in per cent, as the columns of CodeGuard+'s table 6."""
    if by not in frame.columns:
        raise KitError(f"The run has no column {by}. Use one of: {', '.join(frame.columns)}.")
    made = []
    for arm, part in frame.groupby(by, sort=False):
        share = scores.per_task(part, facts)["SVEN-SR"]
        samples = reduce.samples(part)
        samples = samples[samples["counted"]]
        for task, rows in samples.groupby("task", sort=False):
            n = len(rows)
            right, both = (int((rows[a] == True).sum()) for a in ("functional", "joint"))  # noqa: E712
            values = [share[task], *(float(at_k.estimate(n, c, k=1)) for c in (right, both))]
            told = {name: 100 * value for name, value in zip(RATES, values, strict=True)}
            made.append({"task": task, by: arm, "samples": n, **told})
    return pd.DataFrame(made)


def reversals(rows: pd.DataFrame, *, by: str, least: float = 0.0) -> pd.DataFrame:
    """Prompts on which one arm's SVEN-SR is not below another's and its joint rate is, by `least`.

    The differences in points, the first arm minus the second (figure 7 of CodeGuard+).
    """
    made = []
    for task, part in rows.groupby("task", sort=False):
        each = part.set_index(by)
        for one, two in permutations(each.index, 2):
            gain = each.loc[one, RATES].astype(float) - each.loc[two, RATES].astype(float)
            if gain["SVEN-SR"] >= 0 and gain["secure-pass@1"] < -least:
                made.append({"task": task, "arm": one, "against": two, **gain})
    return pd.DataFrame(made, columns=["task", "arm", "against", *RATES])
