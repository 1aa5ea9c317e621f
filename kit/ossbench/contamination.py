"""Does a model know where a function comes from? (section 5.5: the answer names the project)"""

from typing import Any

import pandas as pd

from kit.ossbench.job import OssJob
from kit.records import Sample, Status
from kit.store import Store


def recognised(answer: str, project: str) -> bool:
    """Whether the answer names the project, in whatever case."""
    return project.lower() in answer.lower()


def probe(job: OssJob, store: Store) -> pd.DataFrame:
    """One row per answered function: recognised, and whether its own text names the project."""
    job.generate(store)
    rows = [_row(job, s) for s in store.samples() if s.status != Status.INFRA_ERROR]
    return pd.DataFrame(rows, columns=["name", "path", "recognised", "named"])


def _row(job: OssJob, sample: Sample) -> dict[str, Any]:
    row, name = job.row_of(sample), job.project.name
    return {
        "name": row["name"],
        "path": row["path"],
        "recognised": recognised(sample.response, name),
        "named": recognised(row["comment"] + row["original_function"], name),
    }


def summary(rows: pd.DataFrame) -> dict[str, int]:
    """Counts; what counts as memory are functions whose text does not name the project."""
    unnamed = rows[~rows["named"].astype(bool)]
    return {
        "asked": len(rows),
        "recognised": int(rows["recognised"].sum()),
        "without the name in the text": len(unnamed),
        "of these recognised": int(unnamed["recognised"].sum()),
    }
