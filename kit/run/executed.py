"""Which tests were executed, and where it failed that the others were not."""

import re
from itertools import chain
from typing import Any

import pandas as pd

from kit.errors import KitError
from kit.harness import libraries
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


_LIBRARY = re.compile(r"The program imports ([\w@/.-]+), which is not installed in the box")
_NO_PORT = "opened no port"


def lacking(store: Store) -> list[dict[str, Any]]:
    """Why programs of a run never ran: how many programs, what was missing, what to type.

    A package, a service, a fixture, a server that never listened; each program counts once for each
    reason, the most frequent first.
    """
    ended = ("harness_error", "infra_error", "timeout")
    few = (rows[rows["status"].isin(ended)] for rows in store.frames())
    found: dict[tuple[str, str], set[str]] = {}
    for row in chain.from_iterable(rows.itertuples() for rows in few):
        evidence = store.cell(str(row.slot), str(row.test))[0]
        note = evidence.note if evidence else ""
        if row.status != "timeout" or _NO_PORT in note:
            why = _why(note, str(getattr(row, "language", "python")), str(row.status))
            found.setdefault(why, set()).add(str(row.slot))
    told = [{"programs": len(s), "why": why, "type": line} for (why, line), s in found.items()]
    return sorted(told, key=lambda t: (-t["programs"], t["why"]))


def _why(note: str, language: str, status: str) -> tuple[str, str]:
    """What was missing, and the line to type where there is one."""
    if name := _LIBRARY.search(note):
        return f"imports {name[1]}, which the box lacks", libraries.line_for(language, name[1])
    if status == "infra_error":
        return note or "a failure of ours", "the same command again"
    return note or "no reason given", ""


def lacking_text(told: list[dict[str, Any]], *, most: int = 6) -> str:
    """`lacking` below a table of scores; "" where every program ran."""
    lines = [f"  {t['programs']}: {t['why']}" + (f"  (type: {t['type']})" if t["type"] else "")
             for t in told[:most]]  # fmt: skip
    rest = len(told) - most
    lines += [f"  and {rest} further reasons; --json lists them"] if rest > 0 else []
    return "\n".join(["programs with tests that never ran:", *lines]) if lines else ""
