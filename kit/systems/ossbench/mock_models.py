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
    kinds = [k for k, t in FAULTS.items() if k != "logic" and f"{{ {t} }}" in code]
    wrong = "logic" if re.search(r"\{ return(?: 0)?; \}\n    \{", code) else "none"
    return kinds[0] if kinds else wrong


def sabotage(function: str, kind: str) -> str:
    """The function with a fault of this kind before everything else that it does."""
    if kind == "none":
        return function
    nothing = VOID.search(function[: _body_span(function)[0]])
    return insert_statements(
        function, FAULTS[kind].replace("{return}", "return" if nothing else "return 0")
    )


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
        names = [n for n, _ in find_definitions(function)[0][0].names]
        files = [folder / f"{n}.c" for n in names if (folder / f"{n}.c").is_file()]
        return files[-1].read_text() if files else function


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
    table = pd.DataFrame(
        [
            {
                "name": t.title,
                "kind": faults[t.id],
                **dict(zip(("found", "visible"), caught.get(t.id, (False, False)), strict=True)),
            }
            for t in tasks
        ]
    )
    recovered: dict[str, dict[str, Any]] = {}
    for name, kinds in GROUPS.items():
        rows = table[table["kind"].isin(kinds)]
        visible, both = int(rows["visible"].sum()), int((rows["visible"] & rows["found"]).sum())
        recovered[name] = {
            "seeded": len(rows),
            "visible": visible,
            "recovered": both,
            "share": both / visible if visible else None,
        }
    good = all(r["recovered"] >= NEEDED[n] * r["visible"] > 0 for n, r in recovered.items())
    clean = table.loc[table["kind"] == "none", "found"]
    lost = table["visible"] & ~table["found"] & (table["kind"] != "none")
    return {
        "ok": bool(good and all(identity["checks"].values()) and not clean.any()),
        "functions": len(tasks),
        "executed by the tests": len(executed),
        "identity": identity,
        "seeded": table["kind"].value_counts().to_dict(),
        "recovered": recovered,
        "alarms without a fault": int(clean.sum()),
        "missed": table.loc[lost, ["name", "kind"]].to_dict("records"),
    }


def _check_identity(run: Any) -> tuple[dict[str, Any], set[int]]:
    """The scores of no edit at all, with every switch on at once; and which functions ran."""
    t = scores.load_tables(run)
    got, row = scores.evaluate_tables(t), scores.sampled_iterations(t).iloc[0]
    raw = [got["compilability"], got["functional"], got["memory"]]
    passing = sum(t.meta["modules"].values())
    checks = {
        "scores are the baseline's": raw == [100.0, 100.0, 100.0],
        "every test reports as in the baseline": bool(
            row["passed"] == row["planned"] == passing > 0
        ),
        "Delta is 0": got["delta"] == 0,
        "excluded as too similar": not got["ranked"],
    }
    keys = ("compilability", "functional", "memory", "delta", "score")
    return {"checks": checks} | {k: got[k] for k in keys}, set(row["executed"])


def _check_saboteur(
    tasks: Sequence[Task], faults: Mapping[str, str], settings: Any, go: Go
) -> dict[str, tuple[bool, bool]]:
    """(found, visible) of the fault in each function, alone in force.

    A wrong result that no test looks at is not visible: a plain rebuild with the same edit passes
    every test too. That rebuild knows nothing of switches.
    """
    t = scores.load_tables(go("saboteur", tasks, "saboteur", settings))
    failed: dict[int, str] = dict(zip(t.edits["function_index"], t.edits["build"], strict=True))
    out, doubted = {}, []
    for task in tasks:
        kind, index = faults[task.id], index_of(task.id)
        broken = failed[index] == "failure"  # what breaks the build was never put to the test
        caught = broken if kind in BUILDS else not broken and _is_fault_visible(t, index, kind)
        out[task.id] = caught, True
        if kind in FUNCTIONAL and not broken and not caught:
            doubted.append(task)
    if doubted:
        rebuilt = scores.load_tables(
            go("rebuilt", doubted, "saboteur", replace(settings, mode="rebuild"))
        )
        for task in doubted:
            out[task.id] = False, _is_fault_visible(rebuilt, index_of(task.id), faults[task.id])
    return out


def _is_fault_visible(t: Tables, index: int, kind: str) -> bool:
    """Did the tests fall, or for a memory fault: did an alert of its class name this edit?"""
    runs = scores.sampled_iterations(t)
    row = runs[runs["number"] == index].iloc[0]
    if kind not in MEMORY:
        return bool(row["rate"] < 1)
    mine = t.alerts[(t.alerts["iteration"] == row["key"]) & (t.alerts["class"] == kind)]
    return bool(mine["edits"].map(lambda owners: index in owners).any())


def format_result(result: dict[str, Any]) -> str:
    lines = [
        f"{name:12}{r['recovered']} of {r['visible']} visible faults found ({r['seeded']} seeded)"
        for name, r in result["recovered"].items()
    ]
    checks = [
        f"{'ok ' if done else 'NO '} identity: {name}"
        for name, done in result["identity"]["checks"].items()
    ]
    return "\n".join([*checks, *lines, "valid" if result["ok"] else "NOT valid"])
