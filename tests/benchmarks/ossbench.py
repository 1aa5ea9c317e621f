"""Ratios of one run: check against rebuild, switches against rebuild; and that they agree.

Every edit carries the time of the run in a comment, so that nothing of it is found in a cache; the
objects of files that no edit touches are. A rebuild for an iteration is thus an incremental one.
Times are CPU seconds of the boxes, so that what else the machine does is not in them; only those of
an iteration's tests are of the clock, on one core and on all.
"""

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from kit.run.pool import run_in_pool
from kit.systems.ossbench import mock_models, schemata, testsuite
from kit.systems.ossbench.builds import SHARE, SwitchedProject
from kit.systems.ossbench.original import Original
from kit.systems.ossbench.project import CProject
from kit.systems.ossbench.source import Edit
from kit.systems.ossbench.testsuite import ProjectTests, SuiteResult
from kit.systems.ossbench.toolchain import CORES, Checker, Workshop, units_by_path

KINDS = ("seeded", "compile", "spatial", "lost", "static")
BESIDE = {
    "lost": "extern int kit_nowhere(int); (void)kit_nowhere(1);",  # only a link can refuse it
    "static": "static int kit_count; kit_count++;",
}
MANY = 1000  # iterations over which the one build with switches is spread, as in the paper
SIZES = {"cjson": (200, 200, 5), "sqlite": (3024, 8, 2)}  # edits, rebuilds, iterations
BEHIND = 120  # edits behind switches at the most


def some_edits(table: pd.DataFrame, count: int) -> list[Edit]:
    """So many edits, spread over the functions: sane, broken, and such that only a link refuses."""
    rows = table.to_dict("records")
    step = max(1, len(rows) * len(KINDS) // count)
    return [
        _edit(rows[n * step // len(KINDS) % len(rows)], KINDS[n % len(KINDS)]) for n in range(count)
    ]


def _edit(row: dict[str, Any], kind: str) -> Edit:
    text = row["original_function"]
    if kind == "seeded":
        new = mock_models.sabotage(text, mock_models.choose_fault(text))
    elif kind in BESIDE:
        new = mock_models.insert_statements(text, BESIDE[kind])
    else:
        new = mock_models.sabotage(text, kind)
    return Edit.of(row, f"{new} /* {time.time_ns()} */")


def measure(
    project: CProject,
    table: pd.DataFrame,
    box: Any,
    *,
    edits: int | None = None,
    rebuilds: int | None = None,
    iterations: int | None = None,
) -> dict[str, Any]:
    """Seconds and ratios. `rebuilds` of the edits are also built in full, and must agree.

    Numbers that are not given are the project's in SIZES.
    """
    usual = SIZES.get(project.name, (200, 2, 1))
    given = zip((edits, rebuilds, iterations), usual, strict=True)
    edits, rebuilds, iterations = (standard if n is None else n for n, standard in given)
    chosen = some_edits(table, edits)
    read_by = units_by_path(zip(table["path"], table["units"], strict=True))
    last = max(table["function_index"])
    shop = Workshop(box, project)
    checker = Checker(shop, read_by)
    _ = checker.baseline, checker.libraries
    testsuite.build_programs(shop, {}, read_by, last=last)
    with shop.open_scratch() as bench:
        checked = _checks(Checker(bench, read_by), chosen, rebuilds, len(table))
        good = {
            e.index: e
            for e, c in zip(chosen, checked.pop("fast"), strict=True)
            if c.build == "success"
        }
        keys, most = sorted(good), min(BEHIND, len(good))
        good = {k: good[k] for k in (keys[n * len(keys) // most] for n in range(most))}
        rows = {row["function_index"]: row for row in table.to_dict("records")}
        tests = _iterations(bench, good, rows, last, read_by, iterations)
    return {"project": project.name, "functions": len(table)} | checked | tests


def _checks(
    checker: Checker, chosen: Sequence[Edit], rebuilds: int, functions: int
) -> dict[str, Any]:
    """Fast checks of all edits, full rebuilds of some: seconds for one on one core, verdicts."""
    _ = checker.baseline, checker.libraries
    start, spent = time.perf_counter(), checker.shop.spent
    fast, check_cpu = _each(checker.check, chosen, "checks", spent)
    minutes = (time.perf_counter() - start) / 60
    clean, said = checker.shop.rebuild({})
    picked = [n * len(chosen) // rebuilds for n in range(rebuilds)]
    full, full_cpu = _each(
        lambda n: checker.check(chosen[n], full=True), picked, "full rebuilds", spent
    )
    differ = [
        {
            "function": chosen[n].name,
            "check": fast[n].reason or "success",
            "rebuild": c.reason or "success",
        }
        for n, c in zip(picked, full, strict=True)
        if c.build != fast[n].build
    ]
    return {
        "fast": fast,
        "edits checked": len(chosen),
        "functions with one": len({e.index for e in chosen}),
        "edits that failed": sum(c.build == "failure" for c in fast),
        "edits rebuilt in full": len(picked),
        "verdicts that differ": differ,
        "the original builds": clean or said[-300:],
        "check, CPU seconds an edit": round(check_cpu, 4),
        "full rebuild, CPU seconds": round(full_cpu, 2),
        "full rebuild / check": round(full_cpu / check_cpu, 1),
        "cores": CORES,
        "checks, minutes": round(minutes, 2),
        "all functions at this pace, minutes": round(minutes * functions / len(chosen), 2),
    }


def _each(
    work: Callable[[Any], Any], items: Sequence[Any], title: str, spent: list[float]
) -> tuple[list[Any], float]:
    """The results in order, and the mean CPU seconds of one; on all cores."""
    before = len(spent)
    numbered = run_in_pool(lambda item: work(item[1]), enumerate(items), workers=CORES, title=title)
    done = {n: result for (n, _), result in numbered}
    return [done[n] for n in range(len(items))], sum(spent[before:]) / max(1, len(items))


def _iterations(
    shop: Workshop,
    edits: dict[int, Edit],
    rows: Mapping[int, dict[str, Any]],
    last: int,
    read_by: Mapping[str, tuple[str, ...]],
    count: int,
) -> dict[str, Any]:
    """Iterations drawn as in a run: what each costs before its tests, in both modes.

    One that holds an edit which cannot stand behind a switch costs its rebuild in both.
    """
    work = SwitchedProject(shop, rows, edits)
    original = Original.of(work.baseline().observed.value, work.coverage().observed.value)
    before = len(shop.spent)
    made = schemata.plan_switches(shop, edits.values())
    programs, why = testsuite.build_programs(shop, made.texts, read_by, last=last)
    once_s = sum(shop.spent[before:])
    suite, rng = testsuite.ProjectTests(shop, programs, why), np.random.default_rng(0)
    size = max(1, round(SHARE * len(rows)))
    draws = [rng.choice(sorted(edits), size=size, replace=False) for _ in range(MANY)]
    held = sum(any(n in made.rebuilt for n in draw) for draw in draws) / MANY
    rebuild_s, differ = 0.0, 0
    seconds: Counter[str] = Counter()
    for draw in draws[:count]:
        group = [edits[n] for n in draw if n not in made.rebuilt]
        before = len(shop.spent)
        texts = schemata.render_files(shop, (), group)
        own, said = testsuite.build_programs(shop, texts, read_by, last=last)
        rebuild_s += sum(shop.spent[before:]) / count
        numbers = [e.index for e in group]
        left = _run_timed(seconds, "one core", suite, numbers, workers=1)
        _run_timed(seconds, "all cores", suite, numbers, workers=CORES)
        differ += left.tests != testsuite.ProjectTests(shop, own, said).run().tests
        whole_s, reaching_s = sum(original.seconds.values()), 0.0
        for name in original.plan_runs(numbers)[0]:
            reaching_s += original.seconds[name]
        seconds["reaching"] += reaching_s / whole_s
    switch_s = once_s / MANY + held * rebuild_s
    return {
        "edits behind switches": len(made.switched),
        "edits that need a rebuild": dict(Counter(made.rebuilt.values())),
        "share of iterations with one": round(held, 4),
        "edits in an iteration": size,
        "schemata, CPU seconds once": round(once_s, 2),
        "schemata, CPU seconds an iteration": round(switch_s, 4),
        "rebuild, CPU seconds an iteration": round(rebuild_s, 2),
        "rebuild / schemata": round(rebuild_s / switch_s, 1),
        "tests of an iteration, seconds on one core": round(seconds["one core"] / count, 1),
        "tests of an iteration, seconds on all cores": round(seconds["all cores"] / count, 1),
        "of these inside boxes, seconds": round(seconds["boxes"] / count, 1),
        "one core / all cores": round(seconds["one core"] / seconds["all cores"], 2),
        "time of the tests that reach the edits / of all": round(seconds["reaching"] / count, 3),
        "tests": original.describe(shop.project, len(rows)),
        "iterations compared": count,
        "iterations that differ": differ,
    }


def _run_timed(
    seconds: Counter[str], name: str, suite: ProjectTests, edits: list[int], *, workers: int
) -> SuiteResult:
    """The suite with these edits; what it took is added under this name."""
    start = time.perf_counter()
    result = suite.run(edits, workers=workers)
    seconds[name] += time.perf_counter() - start
    if workers == 1:
        seconds["boxes"] += result.wall_s
    return result
