"""Tools for notebooks: explore the samples of a run, compare two runs, run a sweep."""

from typing import Any

from kit.explore.explorer import Explorer
from kit.explore.run_from_notebook import (
    arms,
    check_known,
    find_arms,
    read_lists,
    recorded_scores,
    stages,
)

__all__ = [
    "Explorer",
    "ItemStudy",
    "arms",
    "check_known",
    "find_arms",
    "read_lists",
    "recorded_scores",
    "stages",
]


def __getattr__(name: str) -> Any:
    if name == "ItemStudy":  # the explorer does not load its statistics
        from kit.explore.items import ItemStudy

        return ItemStudy
    raise AttributeError(f"kit.explore has no {name!r}")
