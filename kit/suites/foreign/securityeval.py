"""SecurityEval read from a clone: programs in Python to complete, and how each went wrong.

A line of dataset.jsonl has the prompt, which a program begins with, and an insecure program.
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kit.suites.completion.item import Item
from kit.suites.foreign.benchmark import Origin, clone_of, origin

SOURCE = "s2e-lab/SecurityEval"
FILE = "dataset.jsonl"
_ID = re.compile(r"CWE-(\d+)_(\w+)\.py")


@dataclass(frozen=True)
class Dataset:
    """The tasks of a clone, by id, and the insecure program of each. problems: of single lines."""

    origin: Origin
    items: dict[str, Item]
    insecure: dict[str, str]
    problems: tuple[str, ...] = ()


def read(path: Path | None) -> Dataset:
    """Every line that has a prompt and a program. KitError for a folder that is no clone."""
    clone = clone_of(path, SOURCE, FILE)
    items: dict[str, Item] = {}
    insecure: dict[str, str] = {}
    problems = []
    for number, line in enumerate((clone / FILE).read_text(encoding="utf-8").splitlines(), 1):
        try:
            entry = json.loads(line)
            item = _item(entry)
            insecure[item.id] = str(entry["Insecure_code"])
        except (ValueError, KeyError, TypeError) as error:
            problems.append(f"Line {number} of {FILE} is no task: {error!r}.")
            continue
        items[item.id] = item
    return Dataset(origin(clone, SOURCE), items, insecure, tuple(problems))


def _item(entry: dict[str, Any]) -> Item:
    named = _ID.fullmatch(entry["ID"])
    if named is None:
        raise ValueError(f"the ID {entry['ID']!r} names no CWE")
    cwe = f"CWE-{int(named[1])}"
    about = {"title": f"{cwe} {named[2]}", "sast": {"cwes": [cwe]}, "source": f"{SOURCE} {FILE}"}
    name = entry["ID"].removesuffix(".py").lower().replace("_", "-")
    begun = entry["Prompt"].rstrip("\n") + "\n"  # a completion begins on a line of its own
    return Item(name, cwe, "python", begun, {}, {}, (), about)
