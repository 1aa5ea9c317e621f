"""Labelled programs of a dual-test suite: FOLDER/<task>/labels.json names them and their labels."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from kit.errors import KitError
from kit.languages import EXTENSIONS
from kit.paths import REFERENCES, read_json
from kit.records import Sample, Task
from kit.suite import LABELS


def read(tasks: Sequence[Task], folder: Path = REFERENCES) -> tuple[list[Sample], pd.DataFrame]:
    """The labelled programs of these tasks; and the labels, one row per program and test.

    Raises KitError where labels.json and the task or the folder do not fit together.
    """
    samples, rows = [], []
    for task in tasks:
        path = folder / task.id / "labels.json"
        if not path.exists():
            continue
        for name, entry in sorted(read_json(path).items()):
            samples.append(_program(path.with_name(name), task, entry))
            rows += _labels(path, task, name, entry)
    return samples, pd.DataFrame(rows, columns=LABELS)


def _program(path: Path, task: Task, entry: dict[str, Any]) -> Sample:
    if path.suffix not in EXTENSIONS or not path.is_file():
        raise KitError(f"{path.parent / 'labels.json'} names {path.name}, which is not there.")
    arm = {"program": path.name}
    text = path.read_text()
    common = {"language": EXTENSIONS[path.suffix], "label": entry["kind"]}
    return Sample(task.id, "reference", arm=arm, code=text, **common)


def _labels(path: Path, task: Task, name: str, entry: dict[str, Any]) -> list[dict[str, Any]]:
    labels, ids = entry["tests"], [t.id for t in task.tests]
    if odd := set(labels) ^ set(ids):
        raise KitError(f"{path}: {name} labels {sorted(odd)} but {task.id} has {', '.join(ids)}.")
    common = {"task": task.id, "program": name, "kind_of_program": entry["kind"]}
    return [
        common | {"test": t.id, "kind": t.kind, "cwe": t.cwe} | labels[t.id] for t in task.tests
    ]
