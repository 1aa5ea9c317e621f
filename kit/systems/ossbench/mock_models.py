"""Models that need no network and whose edits are known, and the suite checked with them.

identity, saboteur and a folder of edits read the function out of the question, as any model does.
The saboteur's fault is a function of the function's text, so that whoever scores its edits can be
checked against what was seeded: no edit at all scores as the baseline, every seeded fault is found.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from kit.core.errors import KitError
from kit.core.records import Task
from kit.generation import base
from kit.generation.base import Messages, Response
from kit.run.suite import Go
from kit.systems.ossbench import scores
from kit.systems.ossbench.scores import Tables
from kit.systems.ossbench.source import find_definitions, index_of, text_with_comment

BLOCK = re.compile(r"```c\n(.*?)\n```", re.DOTALL)
VOID = re.compile(r"\bvoid\s*\)?\s+\w+\s*\(")  # `void f(` and `PUBLIC(void) f(`
RATES = {
    "leak": 5,
    "none": 20,
    "compile": 15,
    "logic": 15,
    "quit": 10,
    "spatial": 10,
    "temporal": 10,
    "undefined": 8,
    "segv": 7,
}  # in 100
FUNCTIONAL = ("logic", "quit")
MEMORY = ("spatial", "temporal", "undefined", "segv", "leak")
HEAP = "void *volatile kit_p = __builtin_malloc(8); "
FAULTS = {
    "compile": "kit_no_such_name = 1;",
    "quit": "__builtin_exit(0);",
    "logic": "{return};",
    "spatial": HEAP + "((volatile char *)kit_p)[8] = 1; __builtin_free(kit_p);",
    "temporal": HEAP + "__builtin_free(kit_p); ((volatile char *)kit_p)[0] = 1;",
    "leak": "int kit_i; for (kit_i = 0; kit_i < 3; kit_i++) { "
    + HEAP
    + "((volatile char *)kit_p)[0] = 1; kit_p = 0; }",
    "undefined": "volatile int kit_i = 2147483647; kit_i = kit_i + 1;",
    "segv": "volatile int *volatile kit_p = (volatile int *)64; *kit_p = 1;",
}
NEEDED = {"compile": 1.0, "functional": 1.0, "memory": 0.9}
BUILDS = ("compile", "none")  # faults that the build alone decides
GROUPS = {"compile": ("compile",), "functional": FUNCTIONAL, "memory": MEMORY}


def choose_fault(function: str) -> str:
    """The fault that the saboteur puts into this function: a key of RATES, at those rates."""
    drawn = int.from_bytes(hashlib.sha256(function.encode()).digest()[:4], "big") % 100
    for kind, share in RATES.items():
        if drawn < share:
            return kind
        drawn -= share
    raise AssertionError("the rates add up to 100")


def fault_in(code: str) -> str:
    """The kind of fault whose statements stand in this edited function, or none."""
    for kind, statements in FAULTS.items():
        if kind != "logic" and f"{{ {statements} }}" in code:
            return kind
    return "logic" if re.search(r"\{ return(?: 0)?; \}\n    \{", code) else "none"


def sabotage(function: str, kind: str) -> str:
    """The function with a fault of this kind before everything else that it does."""
    if kind == "none":
        return function
    declaration = function[: _body_span(function)[0]]
    ending = "return" if VOID.search(declaration) else "return 0"
    return insert_statements(function, FAULTS[kind].replace("{return}", ending))


def insert_statements(function: str, statements: str) -> str:
    """The function with these statements, in a block of their own, before its body."""
    start, close = _body_span(function)
    body = function[start + 1 : close]
    return f"{function[:start]}{{\n    {{ {statements} }}\n    {{{body}}}\n}}"


def _body_span(function: str) -> tuple[int, int]:
    """The offsets of the body's brackets, past the comment that may stand before the function."""
    definition = find_definitions(function)[0][0]
    return definition.open, definition.end - 1


@dataclass(frozen=True)
class Editor:
    """A model that edits by rule. name: identity or saboteur; or hands:DIR, a folder of files."""

    name: str
    price_key: str = ""
    default_max_tokens: int | None = None

    @property
    def identity(self) -> str:
        return f"editor:{self.name}:{sorted(FAULTS.items())}"

    def generate(self, messages: Messages, **_: Any) -> Response:
        """The answer; a rule has no temperature and no seed."""
        functions = BLOCK.findall(messages[-1]["content"])
        if not functions:
            raise KitError("The question shows no C function; this model can only edit one.")
        text = self.edit(functions[-1])
        return Response(f"```c\n{text}\n```\n", "stop", self.name, created=base.current_time())

    def edit(self, function: str) -> str:
        if self.name == "identity":
            return function
        if self.name == "saboteur":
            return sabotage(function, choose_fault(function))
        # the file of the folder that is named for the function, else the function as it is
        folder = Path(self.name.removeprefix("hands:"))
        for name, _ in reversed(find_definitions(function)[0][0].names):
            file = folder / f"{name}.c"
            if file.is_file():
                return file.read_text()
        return function


def validate(
    functions: Mapping[int, Mapping[str, Any]], tasks: Sequence[Task], settings: Any, go: Go
) -> dict[str, Any]:
    """Identity and saboteur over these functions, each fault alone, in runs that `go` makes.

    ok: identity is the baseline, and of each kind of fault at least the share in NEEDED was found.
    Only faults in functions that the tests execute can show in tests; the others are counted apart.
    """
    faults = {t.id: choose_fault(text_with_comment(functions[index_of(t.id)])) for t in tasks}
    identity, executed = _check_identity(
        go("identity", tasks, "identity", replace(settings, draw="all"))
    )
    testable = [t for t in tasks if faults[t.id] in BUILDS or index_of(t.id) in executed]
    caught = _check_saboteur(testable, faults, replace(settings, draw="alone"), go)
    rows = []
    for task in tasks:
        is_found, is_visible = caught.get(task.id, (False, False))
        row = {"name": task.title, "kind": faults[task.id]}
        rows.append(row | {"found": is_found, "visible": is_visible})
    table = pd.DataFrame(rows)
    recovered = {name: _count_recovered(table, kinds) for name, kinds in GROUPS.items()}
    good = all(identity["checks"].values())
    for name, counts in recovered.items():
        good = good and counts["recovered"] >= NEEDED[name] * counts["visible"] > 0
    clean = table.loc[table["kind"] == "none", "found"]
    lost = table["visible"] & ~table["found"] & (table["kind"] != "none")
    return {
        "ok": bool(good and not clean.any()),
        "functions": len(tasks),
        "executed by the tests": len(executed),
        "identity": identity,
        "seeded": table["kind"].value_counts().to_dict(),
        "recovered": recovered,
        "alarms without a fault": int(clean.sum()),
        "missed": table.loc[lost, ["name", "kind"]].to_dict("records"),
    }


def _count_recovered(table: pd.DataFrame, kinds: Sequence[str]) -> dict[str, Any]:
    """How many faults of these kinds were seeded, can show in tests, and did."""
    rows = table[table["kind"].isin(kinds)]
    visible = int(rows["visible"].sum())
    recovered = int((rows["visible"] & rows["found"]).sum())
    return {
        "seeded": len(rows),
        "visible": visible,
        "recovered": recovered,
        "share": recovered / visible if visible else None,
    }


def _check_identity(run: Any) -> tuple[dict[str, Any], set[int]]:
    """The scores of no edit at all, with every switch on at once; and which functions ran."""
    tables = scores.load_tables(run)
    values = scores.evaluate_tables(tables)
    iteration = scores.sampled_iterations(tables).iloc[0]
    raw = [values["compilability"], values["functional"], values["memory"]]
    passing = sum(tables.meta["modules"].values())
    checks = {
        "scores are the baseline's": raw == [100.0, 100.0, 100.0],
        "every test reports as in the baseline": bool(
            iteration["passed"] == iteration["planned"] == passing > 0
        ),
        "Delta is 0": values["delta"] == 0,
        "excluded as too similar": not values["ranked"],
    }
    keys = ("compilability", "functional", "memory", "delta", "score")
    return {"checks": checks} | {k: values[k] for k in keys}, set(iteration["executed"])


def _check_saboteur(
    tasks: Sequence[Task], faults: Mapping[str, str], settings: Any, go: Go
) -> dict[str, tuple[bool, bool]]:
    """(found, visible) of the fault in each function, alone in force.

    A wrong result that no test looks at is not visible: a plain rebuild with the same edit passes
    every test too. That rebuild knows nothing of switches.
    """
    tables = scores.load_tables(go("saboteur", tasks, "saboteur", settings))
    builds = tables.edits.set_index("function_index")["build"]
    results, doubted = {}, []
    for task in tasks:
        kind, index = faults[task.id], index_of(task.id)
        broken = builds[index] == "failure"
        if kind in BUILDS:
            caught = broken
        else:  # what breaks the build was never put to the test
            caught = not broken and _is_fault_visible(tables, index, kind)
        results[task.id] = (caught, True)
        if kind in FUNCTIONAL and not broken and not caught:
            doubted.append(task)
    if doubted:
        rebuilt = scores.load_tables(
            go("rebuilt", doubted, "saboteur", replace(settings, mode="rebuild"))
        )
        for task in doubted:
            visible = _is_fault_visible(rebuilt, index_of(task.id), faults[task.id])
            results[task.id] = (False, visible)
    return results


def _is_fault_visible(tables: Tables, index: int, kind: str) -> bool:
    """Did the tests fall, or for a memory fault: did an alert of its class name this edit?"""
    runs = scores.sampled_iterations(tables)
    run = runs[runs["number"] == index].iloc[0]
    if kind not in MEMORY:
        return bool(run["rate"] < 1)
    alerts = tables.alerts[tables.alerts["iteration"] == run["key"]]
    owners = alerts.loc[alerts["class"] == kind, "edits"]
    return any(index in edits for edits in owners)


def format_result(result: dict[str, Any]) -> str:
    lines = []
    for name, is_held in result["identity"]["checks"].items():
        lines.append(f"{'ok ' if is_held else 'NO '} identity: {name}")
    for name, r in result["recovered"].items():
        counts = f"{r['recovered']} of {r['visible']} visible faults found ({r['seeded']} seeded)"
        lines.append(f"{name:12}{counts}")
    lines.append("valid" if result["ok"] else "NOT valid")
    return "\n".join(lines)
