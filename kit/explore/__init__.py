"""Tools for notebooks: explore the samples of a run, compare two runs, run a sweep."""

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
    "arms",
    "check_known",
    "find_arms",
    "read_lists",
    "recorded_scores",
    "stages",
]
