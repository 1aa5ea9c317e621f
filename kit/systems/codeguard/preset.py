"""Reads presets: the prompts, the key phrases and the numbers of a paper's own runs."""

import csv
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from functools import cache as once
from pathlib import Path
from typing import Any

from kit.core.errors import KitError
from kit.core.paths import PUBLISHED
from kit.systems.codeguard.item import CompletionItem

PRESETS: dict[str, dict[str, Any]] = tomllib.loads(
    Path(__file__).with_name("presets.toml").read_text("utf-8")
)
PARTS = {  # metric of table 5 -> the purpose of its phrases, and their side
    "correctness phrases": ("correct", "positive"),
    "positive phrases": ("secure", "positive"),
    "negative phrases": ("secure", "negative"),
}
QUARANTINED = "quarantined"  # the fact of a task, which is the column task_quarantined


def read_numbers(preset: str, decoding: str | None) -> dict[str, Any]:
    """The settings of a preset for a way of decoding, or for its own."""
    stated = PRESETS[preset]
    chosen = decoding or stated["decoding"]
    return {"decoding": chosen, **stated[chosen]}


@once
def read_phrases(preset: str) -> dict[str, dict[str, dict[str, list[str]]]]:
    """Task -> purpose -> side -> the phrases of the paper's table 5.

    Two of its prompts have another's name. Table 6 has the same prompts in the same order, with
    their right names, so the names are read there.
    """
    folder = PUBLISHED / PRESETS[preset]["published"]
    names = list(dict.fromkeys(row["prompt"] for row in _read_rows(folder / "table_6.csv")))
    phrases: dict[str, dict[str, dict[str, list[str]]]] = {}
    for row in _read_rows(folder / "table_5.csv"):
        task = names[int(row["place"]) - 1].lower().replace(" ", "-")
        purpose, side = PARTS[row["metric"]]
        label = row["label"]
        listed = [] if label == "N/A" else label[1:-1].split('"; "')
        phrases.setdefault(task, {}).setdefault(purpose, {})[side] = listed
    return phrases


def _read_rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def select_items(preset: str, items: Mapping[str, CompletionItem]) -> dict[str, CompletionItem]:
    """The paper's prompts in its order, with its key phrases. KitError for one that is missing."""
    phrases = read_phrases(preset)
    missing = [task for task in phrases if task not in items]
    if missing:
        raise KitError(
            f"The folder lacks {len(missing)} of the paper's {len(phrases)} prompts: "
            f"{', '.join(missing)}. Use a whole clone of {PRESETS[preset]['source']}."
        )
    selected = {}
    for task, constraints in phrases.items():
        about = {**items[task].about, "constraints": constraints}
        selected[task] = replace(items[task], about=about)
    return selected
