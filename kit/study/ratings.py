"""A file of what raters said: one JSON object a line, only ever added to."""

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from kit.errors import KitError


def add(path: Path, words: Iterable[Mapping[str, Any]]) -> None:
    """Add what was said, in its order; the file and its folder are made where they are not."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write("".join(json.dumps(word) + "\n" for word in words))


def read(path: Path, columns: list[str], known: Callable[[Any], bool], noun: str) -> pd.DataFrame:
    """Every word in its order; no rows where there is no file yet.

    Raises KitError for the first line that is not `known` (or for which that raises KeyError or
    TypeError), as "is no <noun>".
    """
    lines = path.read_text(encoding="utf-8").split("\n") if path.exists() else []
    rows = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            good = known(row)
        except (ValueError, KeyError, TypeError):
            good = False
        if not good:
            raise KitError(f"{path}, line {number} is no {noun}; mend or delete the line.")
        rows.append(row)
    return pd.DataFrame(rows, columns=columns)
