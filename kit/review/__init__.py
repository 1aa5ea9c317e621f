"""People label, code and review tests; oracles are measured against labels."""

from importlib import import_module
from typing import Any

HOMES = {  # commands of this ring start without pandas
    "calibration": ("component_rates", "corrected", "corrections", "levels", "simulated_judge"),
    "failures": ("FailureAudit",),
    "items": ("ReviewForm",),
    "measured": ("OracleRecord",),
    "probes": ("ProbeReview",),
}


def __getattr__(name: str) -> Any:
    for home, names in HOMES.items():
        if name in names:
            return getattr(import_module(f"kit.review.{home}"), name)
    raise AttributeError(f"kit.review has no {name!r}")
