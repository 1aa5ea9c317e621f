"""The printed numbers, the audit of them, and their tables again from a run."""

from importlib import import_module
from typing import Any

HOMES = {  # a notebook that prints a table does not import what runs and audits
    "audit": ("ac1_range", "agree", "relations", "slip_shares"),
    "counts": ("factor", "intervals", "printed_intervals", "sign_tests", "tallies"),
    "published": ("compare", "table", "wide"),
    "replication": ("composition", "oracle", "replicate", "shares"),
}


def __getattr__(name: str) -> Any:
    for home, names in HOMES.items():
        if name in names:
            return getattr(import_module(f"kit.papers.{home}"), name)
    raise AttributeError(f"kit.papers has no {name!r}")
