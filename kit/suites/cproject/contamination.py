"""Does a model know where a function comes from? (section 5.5: the answer names the project)"""

import json
from pathlib import Path
from typing import Any

import pandas as pd

from kit.errors import KitError
from kit.generation import replay
from kit.paths import run_path
from kit.records import Sample, Status
from kit.store import Store
from kit.suites.cproject.job import OssJob

COLUMNS = ["function_index", "name", "path", "recognised", "named", "answer"]
ROWS = "contamination.jsonl"


def recognised(answer: str, project: str) -> bool:
    """Whether the answer names the project, in whatever case."""
    return project.lower() in answer.lower()


def probe(job: OssJob, store: Store) -> pd.DataFrame:
    """One row per answered function: recognised, and whether its own text names the project.

    The rows and the answers are kept as text beside the run's file.
    """
    job.generate(store)
    store.set_meta(suite="ossbench", project=job.project.name, version=job.project.version,
                   model=job.opened.name, functions=len(job.table))  # fmt: skip
    samples = [s for s in store.samples() if s.status != Status.INFRA_ERROR]
    rows = pd.DataFrame([_row(job, s) for s in samples], columns=COLUMNS)
    folder = store.path.parent
    replay.write(folder, samples, settings={"prompt": "as in the samples' arms"})
    lines = [json.dumps(row) + "\n" for row in rows.to_dict("records")]
    (folder / ROWS).write_text("".join(lines))
    return rows


def load(run: str | Path) -> pd.DataFrame:
    """The rows of a probe that was made, by the run's name or folder."""
    path = run_path(run).parent / ROWS
    if not path.is_file():
        raise KitError(f"{run} holds no probe; --prompt contamination makes one.")
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    return pd.DataFrame(rows, columns=COLUMNS)


def _row(job: OssJob, sample: Sample) -> dict[str, Any]:
    row, name = job.row_of(sample), job.project.name
    return {
        "function_index": row["function_index"],
        "name": row["name"],
        "path": row["path"],
        "recognised": recognised(sample.response, name),
        "named": recognised(row["comment"] + row["original_function"], name),
        "answer": sample.response,
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
