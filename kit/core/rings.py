"""Finds what packages announce by entry points, so that the core imports no ring.

Groups, each with what an entry names:
    kit.suites     a suite's name      the class of kit.run.suite.Suite that it is
    kit.models     a model's provider  the function that opens it, as kit.bridges.agents.open_agent
"""

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from kit.core.errors import KitError


@cache
def find_entries(group: str) -> dict[str, EntryPoint]:
    """Name -> entry point of a group; nothing is imported."""
    return {entry.name: entry for entry in sorted(entry_points(group=group))}


def load_entry(group: str, name: str) -> Any:
    """Imports what the entry names; KitError if it is not installed."""
    if name not in find_entries(group):
        raise KitError(f"No installed package provides {name!r}. Type: pip install securecode-kit")
    try:
        return find_entries(group)[name].load()
    except ImportError as error:
        mend = "`kit doctor` prints how to install it"
        raise KitError(f"{name!r} needs {error.name}, which is not installed; {mend}.") from error
