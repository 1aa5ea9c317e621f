"""Writes the dataset card of an exported table: meaning of rows, provenance and limits."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from kit import measures
from kit.errors import KitError
from kit.paths import replace_whole
from kit.records import Outcome, Status
from kit.run import report
from kit.run.export import TYPES, visible
from kit.store import Store

HOME = Path(__file__).parent
COLUMNS = tomllib.loads((HOME / "columns.toml").read_text(encoding="utf-8"))
OURS = "Written by `kit export`."


def write(run: str | Path, target: Path) -> Path:
    """Write the card of an exported table (see kit.run.export) beside it, as README.md.

    It has the format of Hugging Face's dataset cards. Raises KitError if another README.md exists.
    """
    path = target.with_name("README.md")
    if path.exists() and OURS not in path.read_text(encoding="utf-8", errors="replace"):
        raise KitError(f"{path} exists and is not a dataset card. Export to another folder.")
    with Store(run, write=False) as store:
        replace_whole(path, card(store, target.name))
    return path


def card(store: Store, file: str) -> str:
    """The text of the card. file: the name of the table, which is in the same folder."""
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
    words = {"statuses": ", ".join(Status), "outcomes": ", ".join(Outcome)}
    means = {c: COLUMNS.get(c, "an arm: a setting of the run").format(**words) for c in columns}
    counts = measures.counts(rows, None)
    lines = [counts.columns, ["---"] * len(counts.columns), *counts.itertuples(index=False)]
    table = "\n".join("| " + " | ".join(map(_cell, line)) + " |" for line in lines)
    text = (HOME / "card.md").read_text(encoding="utf-8")
    return f"---\n{yaml.safe_dump(head, sort_keys=False)}---\n\n" + text.format(
        title=_cell(name), rows=len(rows), tasks=rows["task"].nunique(), ours=OURS,
        provenance=_list(known), counts=table,
        columns=_list(means),
    )  # fmt: skip


def _list(facts: Mapping[str, Any]) -> str:
    return "\n".join(f"* `{name}`: {_cell(value)}" for name, value in facts.items())


def _cell(value: Any) -> str:
    """A value in one line, with characters of Markdown and HTML escaped."""
    shown = " ".join(str(visible(str(value))).split())
    return shown.replace("|", "\\|").replace("<", "&lt;").replace("`", "'")
