"""Ratios of one run: check against rebuild, switches against rebuild; and that they agree.

Every edit carries the time of the run in a comment, so that nothing of it is found in a cache; the
objects of files that no edit touches are. A rebuild for an iteration is thus an incremental one.
"""

import time
from collections.abc import Sequence
from typing import Any

import pandas as pd

from kit.generation import editors
from kit.ossbench import schemata, trial
from kit.ossbench.check import Checker, readers
from kit.ossbench.workshop import Workshop
from kit.suites.cproject.edit import Edit
from kit.suites.cproject.project import CProject

KINDS = ("seeded", "compile", "spatial", "lost", "static")
BESIDE = {
    "lost": "extern int kit_nowhere(int); (void)kit_nowhere(1);",  # only a link can refuse it
    "static": "static int kit_count; kit_count++;",
}
MANY = 1000  # iterations over which the one build with switches is spread, as in the paper
CORES = 2


def some_edits(table: pd.DataFrame, count: int) -> list[Edit]:
    """So many edits, spread over the functions: sane, broken, and such that only a link refuses."""
    rows = table.to_dict("records")
    step = max(1, len(rows) * len(KINDS) // count)
    return [_edit(rows[n * step // len(KINDS) % len(rows)], KINDS[n % len(KINDS)])
            for n in range(count)]  # fmt: skip


def _edit(row: dict[str, Any], kind: str) -> Edit:
    text = row["original_function"]
    if kind == "seeded":
        new = editors.sabotage(text, editors.seeded(text))
    elif kind in BESIDE:
        new = editors.insert(text, BESIDE[kind])
    else:
        new = editors.sabotage(text, kind)
    where = (row["path"], row["start"], row["end"], text)
    return Edit(row["function_index"], row["name"], *where, f"{new} /* {time.time_ns()} */")


def measure(
    project: CProject,
    table: pd.DataFrame,
    box: Any,
    *,
    edits: int,
    rebuilds: int,
    iterations: int = 3,
) -> dict[str, Any]:
    """Seconds and ratios. `rebuilds` of the edits are also built in full, and must agree."""
    chosen = some_edits(table, edits)
    read_by = readers(zip(table["path"], table["units"], strict=True))
    with Workshop(box, project) as shop:
        checker = Checker(shop, read_by)
        _ = checker.baseline, checker.libraries
        start = time.perf_counter()
        fast = [checker.check(e) for e in chosen]
        check_s = (time.perf_counter() - start) / len(chosen)
        start = time.perf_counter()
        clean, said = shop.rebuild({})
        full_s = time.perf_counter() - start
        picked = [n * len(chosen) // rebuilds for n in range(rebuilds)]
        full = {n: checker.check_full(chosen[n]) for n in picked}
        differ = [chosen[n].name for n in picked if full[n].build != fast[n].build]
        good = [e for e, c in zip(chosen, fast, strict=True) if c.build == "success"]
        once = list({e.index: e for e in good}.values())
        rows = {r["function_index"]: r for r in table.to_dict("records")}
        tests = _iterations(shop, once, rows, read_by, iterations)
    return {
        "project": project.name,
        "functions": len(table),
        "edits checked": len(chosen),
        "edits that failed": sum(c.build == "failure" for c in fast),
        "edits rebuilt in full": rebuilds,
        "verdicts that differ": differ,
        "the original builds": clean or said[-300:],
        "check, seconds an edit": round(check_s, 4),
        "full rebuild, seconds": round(full_s, 2),
        "full rebuild / check": round(full_s / check_s, 1),
        "all functions on two cores, minutes": round(len(table) * check_s / CORES / 60, 2),
        **tests,
    }


def _iterations(
    shop: Workshop, edits: Sequence[Edit], rows: dict[int, dict], read_by: dict, count: int
) -> dict[str, Any]:
    """A few iterations of a tenth of the edits: what each costs before its tests, in both modes."""
    size, last = max(1, len(edits) // 10), max(rows)
    start = time.perf_counter()
    made = schemata.plan(shop, edits, rows)
    programs, why = trial.build(shop, made.texts, read_by, last=last)
    once_s = time.perf_counter() - start
    switched, switch_s, rebuild_s, differ = list(made.switched), 0.0, 0.0, 0
    suite = trial.Suite(shop, programs, why)
    for n in range(count):
        group = switched[n * size : (n + 1) * size]
        start = time.perf_counter()
        switches = [e.index for e in group]
        switch_s += time.perf_counter() - start
        start = time.perf_counter()
        texts = {
            p: schemata.assemble(shop, p, (), [e for e in group if e.path == p], rows)
            for p in sorted({e.path for e in group})
        }
        own, said = trial.build(shop, texts, read_by, last=last)
        rebuild_s += time.perf_counter() - start
        left, right = suite.run(switches), trial.Suite(shop, own, said).run()
        differ += left.tests != right.tests
    return {
        "edits behind switches": len(switched),
        "edits that need a rebuild": len(made.rebuilt),
        "schemata, seconds once": round(once_s, 2),
        "schemata, seconds an iteration": round(switch_s / count + once_s / MANY, 4),
        "rebuild, seconds an iteration": round(rebuild_s / count, 2),
        "rebuild / schemata": round(rebuild_s / (switch_s + once_s * count / MANY), 1),
        "iterations compared": count,
        "iterations that differ": differ,
    }
