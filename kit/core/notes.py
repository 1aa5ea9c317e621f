"""Passes results of a running notebook to its runner, as JSON lines in the file $KIT_RESULTS."""

import json
import os
from pathlib import Path
from typing import Any

VARIABLE, FIGURES = "KIT_RESULTS", "KIT_FIGURES"  # the latter: into which plots.save writes


def note(kind: str, **data: Any) -> bool:
    """Append {"kind": kind, **data} to the file named by $KIT_RESULTS; False if it names no file.

    `data` has JSON values; others (numpy numbers, paths) raise TypeError and write nothing.
    """
    target = os.environ.get(VARIABLE)
    if not target:
        return False
    line = json.dumps({"kind": kind, **data}, ensure_ascii=True) + "\n"
    with Path(target).open("a") as file:
        file.write(line)
    return True


def read_file(path: Path) -> list[dict[str, Any]]:
    """The notes of a file in order, none without a file; an unfinished last line is left out."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text().split("\n")[:-1]]
