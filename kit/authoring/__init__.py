"""Models draft tests and compile English tests into probes; people review them; measures both."""

from importlib import import_module
from typing import Any

HOMES = {"ProbeReview": "review", "RuleRecord": "measured"}


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{HOMES[name]}"), name)
