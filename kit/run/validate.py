"""Labelled programs against the oracle: which tasks behave as their references say."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from kit import harness, oracle, store
from kit.errors import KitError
from kit.paths import REFERENCES, SUITES
from kit.pool import Tally
from kit.records import Sample, Task, content_key
from kit.run.stages import Stages
from kit.sandbox import open_sandbox
from kit.store import Store
from kit.suites import spec

LANGUAGES = {".py": "python", ".js": "javascript", ".mjs": "javascript", ".cpp": "cpp", ".c": "c"}
RESULT = "validation.json"


def references(
    tasks: Sequence[Task], folder: Path = REFERENCES
) -> tuple[list[Sample], pd.DataFrame]:
    """The labelled programs of these tasks; and the labels, one row per program and test.

    Raises KitError where labels.json and the task or the folder do not fit together.
    """
    samples, rows = [], []
    for task in tasks:
        path = folder / task.id / "labels.json"
        if not path.exists():
            continue
        for name, entry in sorted(_read(path).items()):
            samples.append(_program(path.with_name(name), task, entry))
            rows += _labels(path, task, name, entry)
    columns = ["task", "program", "kind_of_program", "test", "kind", "cwe", "label", "why"]
    return samples, pd.DataFrame(rows, columns=columns)


def _read(path: Path) -> dict[str, Any]:
    try:
        return json.loads(path.read_text())
    except ValueError as error:
        raise KitError(f"{path} is not JSON: {error}. Mend the file.") from None


def _program(path: Path, task: Task, entry: dict[str, Any]) -> Sample:
    if path.suffix not in LANGUAGES or not path.is_file():
        raise KitError(f"{path.parent / 'labels.json'} names {path.name}, which is not there.")
    arm = {"program": path.name}
    text = path.read_text()
    common = {"language": LANGUAGES[path.suffix], "label": entry["kind"]}
    return Sample(task.id, "reference", arm=arm, code=text, **common)


def _labels(path: Path, task: Task, name: str, entry: dict[str, Any]) -> list[dict[str, Any]]:
    labels, ids = entry["tests"], [t.id for t in task.tests]
    if odd := set(labels) ^ set(ids):
        raise KitError(f"{path}: {name} labels {sorted(odd)} but {task.id} has {', '.join(ids)}.")
    common = {"task": task.id, "program": name, "kind_of_program": entry["kind"]}
    return [
        common | {"test": t.id, "kind": t.kind, "cwe": t.cwe} | labels[t.id] for t in task.tests
    ]


def joined(labels: pd.DataFrame, frame: pd.DataFrame) -> pd.DataFrame:
    """The labels beside what the oracle concluded of the same tests."""
    seen = frame[["task", "program", "test", "status", "outcome", "oracle", "reason", "slot"]]
    return labels.merge(seen, on=["task", "program", "test"], how="left", validate="1:1")


def labelled(run: str | Path, suite: str = "dualgauge") -> pd.DataFrame:
    """The tests of a run of labelled programs: today's label beside the outcome, and the language.

    Of a program that the run holds twice the later one counts.
    """
    frame = store.frame(run)
    if "program" not in frame or not (frame["model"] == "reference").all():
        raise KitError(f"The run {run} holds no labelled programs. Make one with `kit validate`.")
    frame = frame.drop_duplicates(["task", "program", "test"], keep="last")
    tasks = [t for t in spec.load(SUITES / suite).tasks if t.id in set(frame["task"])]
    known = frame[["task", "program", "test", "language"]]
    return joined(references(tasks)[1].merge(known), frame)


def tidy(rows: pd.DataFrame, suite: str = "dualgauge") -> pd.DataFrame:
    """Rows of `labelled` as the tidy frame of one model, each program a sample of its own."""
    names = ["task", "program", "test", "kind", "cwe", "status", "outcome", "language"]
    return rows[names].assign(suite=suite, model="reference", sample=0)


def execute(
    run: str | Path,
    tasks: Sequence[Task],
    samples: Sequence[Sample],
    *,
    tier: str = "bwrap",
    workers: int = 2,
    stages: Stages | None = None,
) -> tuple[Tally, pd.DataFrame]:
    """Execute and judge these programs, and no others, into the run; the tally, the tidy table."""
    with Store(run) as file, open_sandbox(tier) as box:
        if any(s.created for s in file.samples()):
            raise KitError(
                f"The run {run} holds answers of a model, and is not written over. "
                "Choose another name with --run NAME."
            )
        file.keep(samples)
        file.plan(tasks, samples)
        for sample in samples:
            file.put_sample(sample)
        tally = (stages or Stages()).go(file, list(tasks), box, workers=workers)
        return tally, file.frame()


def task_key(task: Task, folder: Path = REFERENCES) -> str:
    """What a validation rests on: the task, its references, and what runs and judges them."""
    home = folder / task.id
    programs = {p.name: p.read_bytes() for p in sorted(home.glob("*")) if p.is_file()}
    languages = {LANGUAGES[s] for name in programs if (s := Path(name).suffix) in LANGUAGES}
    versions = [harness.version(name) for name in sorted(languages)]
    versions += [oracle.version(part) for part in sorted({oracle.deciding(t) for t in task.tests})]
    return content_key(task, programs, versions)[:16]


def write_result(tasks: Sequence[Task], rows: pd.DataFrame, folder: Path = REFERENCES) -> None:
    """Keep for each task whether its references behaved as labelled, under its key."""
    path = folder / RESULT
    result = _read(path) if path.exists() else {}
    for task in tasks:
        mine = rows[rows["task"] == task.id]
        if mine.empty:
            continue
        odd = mine[mine["label"] != mine["outcome"]]
        differing = sorted(odd["program"] + " " + odd["test"])
        result[task.id] = {"key": task_key(task, folder), "differing": differing}
    path.write_text(json.dumps(result, indent=1, sort_keys=True) + "\n")


def refusals(tasks: Sequence[Task], folder: Path = REFERENCES) -> list[str]:
    """One sentence for each task that has references but did not behave as they are labelled."""
    path = folder / RESULT
    result = _read(path) if path.exists() else {}
    return [line for t in tasks if (line := _refusal(t, result, folder))]


def _refusal(task: Task, result: dict[str, Any], folder: Path) -> str:
    if not (folder / task.id / "labels.json").exists():
        return ""
    known = result.get(task.id)
    if known is None or known["key"] != task_key(task, folder):
        return f"{task.id}: its references were not run against this task and oracle."
    if known["differing"]:
        return f"{task.id}: the oracle differs from the labels of {', '.join(known['differing'])}."
    return ""
