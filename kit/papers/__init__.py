"""The papers: their printed numbers, the audit of these, and their tables recomputed from a run."""

from importlib import import_module
from typing import Any

HOMES = {  # a notebook that prints a table does not import what runs and audits
    "audit": ("ac1_range", "agree", "relations", "slip_shares"),
    "factors": ("factor",),
    "published": ("compare", "table", "wide"),
    "replication": (
        "composition",
        "intervals",
        "oracle",
        "printed_intervals",
        "replicate",
        "shares",
        "sign_tests",
        "tallies",
    ),
}


def __getattr__(name: str) -> Any:
    for home, names in HOMES.items():
        if name in names:
            return getattr(import_module(f"kit.papers.{home}"), name)
    raise AttributeError(f"kit.papers has no {name!r}")
