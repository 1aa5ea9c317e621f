"""The card of an exported table: what its rows are, of what run, and what they are not."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from kit import measures
from kit.errors import KitError
from kit.paths import replace_whole
from kit.records import Outcome, Status
from kit.run import report
from kit.run.export import TYPES, plain
from kit.store import Store

COLUMNS = {  # of the tidy table; further ones are arms, such as temperature
    "suite": "the suite", "task": "the task's id", "model": "who wrote the program",
    "sample": "number of the answer to one question", "test": "the test's id within its task",
    "kind": "functional or security", "cwe": "the weakness that a security test is of",
    "domain": "the task's field, or its language", "label": "of labelled programs: what they are",
    "status": f"what happened to the run: {', '.join(Status)}",
    "outcome": f"what the oracle concluded: {', '.join(Outcome)}",
    "oracle": "who concluded it", "reason": "why, as one of a few words",
    "passed": "1 or 0, as the rates count the test; empty: undecided, or our failure",
    "functional": "of the sample: 1 if it passes each functional test, 0 if it fails one",
    "secure": "the same of its security tests", "joint": "1 if both are 1, 0 if one is 0",
    "in_denominator": "whether rates count the sample; what is empty then counts as not passed",
    "sentence": "why, in words", "wall_s": "seconds of the run",
    "cpu_s": "seconds of its processors",
    "peak_mb": "its most memory, in MB", "isolation": "the sandbox, and what it lacked",
    "cached": "whether the evidence was there before", "slot": "the sample's key in the run",
    "note": "what is to be said of the run or the program", "evidence": "the key of the evidence",
    "code": "the program", "response": "the whole answer",
    "finish_reason": "why the model stopped", "served_model": "the model as its service names it",
    "input_tokens": "of the question", "output_tokens": "of the answer",
    "truncated": "whether the answer was cut", "created": "date and time of the answer",
}  # fmt: skip
OURS = "Written by `kit export`."


def write(run: str | Path, target: Path) -> Path:
    """Write the card of an exported table (see kit.run.export) beside it, as README.md.

    It has the form of Hugging Face's dataset cards. KitError where another README.md is there.
    """
    path = target.with_name("README.md")
    if path.exists() and OURS not in path.read_text(encoding="utf-8", errors="replace"):
        raise KitError(f"{path} is there and is no card. Export to another folder.")
    with Store(run, write=False) as store:
        replace_whole(path, card(store, target.name))
    return path


def card(store: Store, file: str) -> str:
    """The text of the card; file: the name of the table, which lies beside it."""
    name, rows = store.path.parent.name, store.frame()
    known = {n: v for n, v in report.provenance(store).items() if v not in ("", None, {})}
    size = "n<1K" if len(rows) < 1000 else "1K<n<10K" if len(rows) < 10_000 else "10K<n<1M"
    head = {
        "pretty_name": name,
        "tags": ["code", "security", "code-generation", "evaluation"],
        "size_categories": [size],
        "configs": [{"config_name": "default", "data_files": file}],
    }
    columns = [*rows.columns, *measures.APPLIED, *TYPES]
    said = {c: COLUMNS.get(c, "an arm: how the model was asked") for c in columns}
    counts = measures.counts(rows, None)
    lines = [counts.columns, ["---"] * len(counts.columns), *counts.itertuples(index=False)]
    table = "\n".join("| " + " | ".join(map(_cell, line)) + " |" for line in lines)
    text = Path(__file__).with_name("card.md").read_text(encoding="utf-8")
    return f"---\n{yaml.safe_dump(head, sort_keys=False)}---\n\n" + text.format(
        title=_cell(name), rows=len(rows), tasks=rows["task"].nunique(), ours=OURS,
        provenance=_list(known), counts=table,
        columns=_list(said),
    )  # fmt: skip


def _list(facts: Mapping[str, Any]) -> str:
    return "\n".join(f"* `{name}`: {_cell(value)}" for name, value in facts.items())


def _cell(value: Any) -> str:
    """A value in one line, without what Markdown or HTML would read."""
    shown = " ".join(str(plain(str(value))).split())
    return shown.replace("|", "\\|").replace("<", "&lt;").replace("`", "'")
