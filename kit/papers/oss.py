"""OSS-Bench's table and figures from a run: the run itself, its row, what stands below a figure."""

from pathlib import Path

import pandas as pd

from kit.errors import KitError
from kit.metrics import chained
from kit.papers.replication import PRINTED
from kit.paths import run_path
from kit.store import Store
from kit.suites.cproject import scores, tables
from kit.suites.cproject.scores import sampled
from kit.suites.cproject.tables import Tables

PROJECTS = {"sqlite": "sql"}  # as the paper names them
COLUMNS = {"compilability": "compilability", "functional": "functional test"} | {
    "memory": "memory safety",
    "delta": "delta",
    "score": "score",
}


def load(source: str) -> Tables:
    """The tables of a run of this suite, recorded or live; KitError for one of another suite."""
    path, suite = run_path(source), ""
    if path.exists():
        with Store(source, write=False) as store:
            suite = store.meta().get("suite", "")
    elif (path.parent / "samples.jsonl").exists():
        suite = "another suite, a recording without builds"
    if suite not in ("", "ossbench"):
        raise KitError(
            f"The run {source} is of {suite}, and this notebook reads one of ossbench. "
            "Give a run that `kit run ossbench` made."
        )
    return tables.load(source)


def row(source: str) -> pd.DataFrame:
    """The columns of table 1 of a run; where nothing built nothing was tested: no such score."""
    own = scores.scores(load(source))
    if not own["success"]:
        own |= {"functional": float("nan"), "memory": float("nan")}
    return pd.DataFrame({said: own[name] for name, said in COLUMNS.items()}, index=[source])


def readings(source: str) -> pd.DataFrame:
    """A run's mean of the raw and of the chained scores, long form."""
    held, flat = load(source), row(source).iloc[0]
    raw = [flat[c] for c in ("compilability", "functional test", "memory safety")]
    project = held.meta["project"]
    head = {"project": PROJECTS.get(project, project), "model": source}
    means = {
        "mean of raw scores": sum(raw) / 3,
        "mean of chained scores": sum(chained.chained(*raw)) / 3,
    }
    return pd.DataFrame([head | {"reading": k, "value": float(v)} for k, v in means.items()])


def folder(source: str) -> Path | None:
    """The folder of a run, where its figures go; None for what is printed."""
    return None if source == PRINTED else run_path(source).parent


def says(run: Tables) -> str:
    """What stands below a figure of a run: its edits and iterations."""
    runs = len(sampled(run))
    return f"n = {len(run.edits)} edits in {runs} iterations; single observations, no intervals."
