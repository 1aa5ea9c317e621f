"""Which tests were executed, and where it failed that the others were not."""

from typing import Any

import pandas as pd

from kit.errors import KitError
from kit.harness.origin import ORIGINS, origin
from kit.records import Evidence, Status
from kit.store import Store

COLUMNS = ("planned", "executed", *ORIGINS, "no_program", "not_run")
NO_PROGRAM = ("extraction_error", "refused")


def report(store: Store, *, by: tuple[str, ...] = ("language",)) -> pd.DataFrame:
    """executed / planned tests by group, and the origin of each failure to execute.

    environment, harness, code: as in the executor's classification; no_program: the answer held
    none; not_run: still to be done. A crash or a time-out of the program is an execution.
    """
    rows = store.frame()
    if rows.empty:
        return pd.DataFrame(columns=[*by, *COLUMNS, "share"])
    if len(set(by)) < len(by) or not set(by) <= set(rows.columns):
        known = ", ".join(rows.columns)
        raise KitError(f"Cannot group by {','.join(by)!r}. Use some of these, once each: {known}.")
    rows["place"] = [_place(store, row) for row in rows.itertuples()]
    counts = rows.groupby([*by, "place"]).size().unstack(fill_value=0)
    counts["planned"] = counts.sum(axis=1)
    counts = counts.reindex(columns=list(COLUMNS), fill_value=0)
    counts["share"] = counts["executed"] / counts["planned"]
    return counts.reset_index().rename_axis(None, axis=1)


def _place(store: Store, row: Any) -> str:
    status = Status(row.status)
    if status in NO_PROGRAM:
        return "no_program"
    if status is Status.NOT_RUN:
        return "not_run"
    evidence = Evidence(status)
    if status is Status.HARNESS_ERROR:
        evidence = store.cell(row.slot, row.test)[0] or evidence
    return origin(evidence) or "executed"
