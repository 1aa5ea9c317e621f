"""Does a model know where a function comes from? (section 5.5: the answer names the project)"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from kit.errors import KitError
from kit.records import Sample, content_key
from kit.store import Store, slot_of
from kit.suites.cproject.work import index_of

COLUMNS = ["function_index", "name", "path", "recognised", "named", "answer"]
PROBE = "probe"  # the kind of trial that keeps a row; nothing is executed for it


def recognised(answer: str, project: str) -> bool:
    """Whether the answer names the project, in whatever case."""
    return project.lower() in answer.lower()


def keep(
    store: Store, samples: Iterable[Sample], rows: Mapping[int, Mapping[str, Any]], project: str
) -> None:
    """Write down per answer whether it names the project, and whether its function's text does."""
    for sample in samples:
        index = index_of(sample.task)
        row = rows[index]
        told = {n: row[n] for n in ("function_index", "name", "path")} | {
            "recognised": recognised(sample.response, project),
            "named": recognised(row["comment"] + row["original_function"], project),
            "answer": sample.response,
        }
        store.put_trial(content_key(PROBE, slot_of(sample)), PROBE, index, told)


def load(run: str | Path) -> pd.DataFrame:
    """The rows of a probe that was made, by the run's name or folder."""
    with Store(run, write=False) as store:
        rows = read(store)
    if rows.empty:
        raise KitError(f"{run} holds no probe; --prompt contamination makes one.")
    return rows


def read(store: Store) -> pd.DataFrame:
    """One row per answered function; none where the run asked for edits."""
    return pd.DataFrame(store.trials(PROBE), columns=COLUMNS)


def summary(rows: pd.DataFrame) -> dict[str, int]:
    """Counts; what counts as memory are functions whose text does not name the project."""
    unnamed = rows[~rows["named"].astype(bool)]
    return {
        "asked": len(rows),
        "recognised": int(rows["recognised"].sum()),
        "without the name in the text": len(unnamed),
        "of these recognised": int(unnamed["recognised"].sum()),
    }
