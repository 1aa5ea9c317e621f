"""OSS-Bench's table and figures from a run: the run itself, its row, what stands below a figure."""

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import pandas as pd

from kit.errors import KitError
from kit.metrics import chained as chaining
from kit.paths import run_path
from kit.store import Store, slot_of
from kit.suites.cproject import contamination, editors, scores, tables
from kit.suites.cproject.tables import Tables

PROJECTS = {"sqlite": "sql"}  # as the paper names them
RAW = ("compilability", "functional test", "memory safety")
COLUMNS = {"compilability": "compilability", "functional": "functional test"} | {
    "memory": "memory safety",
    "delta": "delta",
    "score": "score",
}
MEANS = ("mean of raw scores", "mean of chained scores")


@dataclass(frozen=True)
class Builds(Tables):
    """A run of C projects: its tables, and what a notebook says of them. source: name or folder."""

    source: str

    @property
    def folder(self) -> Path:
        """Where the figures of the run go."""
        return run_path(self.source).parent

    @property
    def says(self) -> str:
        """What stands below a figure of the run: its edits and iterations."""
        n = f"n = {len(self.edits)} edits in {len(scores.sampled(self))} iterations"
        return f"{n}; single observations, no intervals."

    @property
    def scores(self) -> dict[str, Any]:
        """Raw and chained scores, Delta, the final score, and the counts that they rest on."""
        return scores.scores(self)

    @property
    def row(self) -> pd.DataFrame:
        """The columns of table 1; where nothing built nothing was tested: no such score."""
        own = self.scores
        if not own["success"]:
            own |= {"functional": float("nan"), "memory": float("nan")}
        return pd.DataFrame(
            {said: own[name] for name, said in COLUMNS.items()}, index=[self.source]
        )

    @property
    def readings(self) -> pd.DataFrame:
        """The mean of the raw and of the chained scores, long form."""
        project = self.meta["project"]
        long = chained(self.row)[list(MEANS)].T.rename_axis("reading").reset_index()
        long.insert(0, "project", PROJECTS.get(project, project))
        long.insert(1, "model", self.source)
        return long.rename(columns={self.source: "value"})

    @property
    def fuzzed(self) -> pd.DataFrame:
        """Unique alerts by class: of the original under fuzzing, of the edits, of their tests."""
        return scores.fuzzed(self)

    @property
    def probed(self) -> pd.DataFrame:
        """One row per function whose origin the model was asked for; KitError where it was not."""
        return contamination.load(self.source)

    @property
    def seeded(self) -> pd.DataFrame:
        """The edits of a `saboteur`, and the kind of fault that each was given."""
        with Store(self.source, write=False) as store:
            faults = {slot_of(s): editors.fault_in(s.code) for s in store.samples()}
        return self.edits.assign(seeded=self.edits["slot"].map(faults))


def builds(source: str) -> Builds:
    """A run of C projects, recorded or live; KitError for one of another suite."""
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
    held = tables.load(source)
    return Builds(**{f.name: getattr(held, f.name) for f in fields(held)}, source=source)


def chained(flat: pd.DataFrame, *, weight: float = 1.0) -> pd.DataFrame:
    """c1 = s1, c2 = s2 c1 / 100, c3 = s3 c2 / 100; final = (c1 + c2 + c3) / 3 + weight Delta.

    flat: a row a model with the columns of table 1, in points. Beside the chained scores and the
    final one stand the means of the raw and of the chained three (OSS-Bench, section 2).
    """
    raw = [flat[c] for c in RAW]
    links = chaining.chained(*raw)
    return pd.DataFrame(
        {
            "chained tests": links.functional,
            "chained memory": links.memory,
            "recomputed": chaining.final(*raw, bonus=weight * flat["delta"]),
            MEANS[0]: sum(raw) / 3,
            MEANS[1]: sum(links) / 3,
        }
    )
