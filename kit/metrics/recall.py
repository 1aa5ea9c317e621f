"""How many programs that are labelled insecure an engine finds: recall = found / labelled.

What an engine could not read is not found, and is counted beside. Intervals are Wilson's over
programs, one of each task.
"""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from kit.metrics.stats import wilson

RATES = ("recall", "of_decided")


def recall(rows: pd.DataFrame, by: Sequence[str]) -> list[dict[str, Any]]:
    """For each group its programs, found, missed, unread; recall, with interval; of those decided.

    rows: a row per program with `outcome`: fail is found, pass is missed, all else is unread.
    """
    if not len(rows):
        return []
    groups = rows.groupby(list(by), sort=True) if by else [((), rows)]
    return [{**dict(zip(by, key, strict=True)), **_rates(part)} for key, part in groups]


def _rates(rows: pd.DataFrame) -> dict[str, Any]:
    found, missed = (int((rows["outcome"] == said).sum()) for said in ("fail", "pass"))
    told: dict[str, Any] = {"programs": len(rows), "found": found, "missed": missed}
    told["unread"] = len(rows) - found - missed
    for name, of in zip(RATES, (len(rows), found + missed), strict=True):
        if of:
            i = wilson(found, of, unit="program (Wilson)")
            told |= {name: i.estimate, f"{name}_low": i.low, f"{name}_high": i.high}
    return told


def table(rows: Sequence[dict[str, Any]]) -> str:
    """For a terminal."""
    return str(pd.DataFrame(rows).round(3).to_string(index=False, na_rep="-"))
