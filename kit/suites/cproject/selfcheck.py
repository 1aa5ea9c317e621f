"""The suite checks itself: no edit scores as the baseline, and every seeded fault is found."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from kit.records import Task
from kit.suite import Go
from kit.suites.cproject import editors, scores, tables
from kit.suites.cproject.tables import Tables
from kit.suites.cproject.work import index_of

NEEDED = {"compile": 1.0, "functional": 1.0, "memory": 0.9}
BUILDS = ("compile", "none")  # faults that the build alone decides
GROUPS = {"compile": ("compile",), "functional": editors.FUNCTIONAL, "memory": editors.MEMORY}


def validate(
    rows: Mapping[int, Mapping[str, Any]], tasks: Sequence[Task], settings: Any, go: Go
) -> dict[str, Any]:
    """Identity and saboteur over these functions, each fault alone, in runs that `go` makes.

    ok: identity is the baseline, and of each kind of fault at least the share in NEEDED was found.
    Only faults in functions that the tests execute can show in tests; the others are counted apart.
    """
    faults = {t.id: editors.seeded(_shown(rows[index_of(t.id)])) for t in tasks}
    identity, executed = _identity(go("identity", tasks, "identity", replace(settings, draw="all")))
    shown = [t for t in tasks if faults[t.id] in BUILDS or index_of(t.id) in executed]
    found = _saboteur(shown, faults, replace(settings, draw="alone"), go)
    seeded = pd.DataFrame(
        [{"name": t.title, "kind": faults[t.id],
          **dict(zip(("found", "visible"), found.get(t.id, (False, False)), strict=True))}
         for t in tasks]
    )  # fmt: skip
    recovered = {name: _share(seeded, kinds) for name, kinds in GROUPS.items()}
    good = all(r["recovered"] >= NEEDED[n] * r["visible"] > 0 for n, r in recovered.items())
    clean = seeded.loc[seeded["kind"] == "none", "found"]
    lost = seeded["visible"] & ~seeded["found"] & (seeded["kind"] != "none")
    return {
        "ok": bool(good and all(identity["checks"].values()) and not clean.any()),
        "functions": len(tasks),
        "executed by the tests": len(executed),
        "identity": identity,
        "seeded": seeded["kind"].value_counts().to_dict(),
        "recovered": recovered,
        "alarms without a fault": int(clean.sum()),
        "missed": seeded.loc[lost, ["name", "kind"]].to_dict("records"),
    }


def _identity(run: Any) -> tuple[dict[str, Any], set[int]]:
    """The scores of no edit at all, with every switch on at once; and which functions ran."""
    t = tables.load(run)
    got, row = scores.scores(t), scores.sampled(t).iloc[0]
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


def _saboteur(
    tasks: Sequence[Task], faults: Mapping[str, str], settings: Any, go: Go
) -> dict[str, tuple[bool, bool]]:
    """(found, visible) of the fault in each function, alone in force.

    A wrong result that no test looks at is not visible: a plain rebuild with the same edit passes
    every test too. That rebuild knows nothing of switches.
    """
    t = tables.load(go("saboteur", tasks, "saboteur", settings))
    failed: dict[int, str] = dict(zip(t.edits["function_index"], t.edits["build"], strict=True))
    out, doubted = {}, []
    for task in tasks:
        kind, index = faults[task.id], index_of(task.id)
        broken = failed[index] == "failure"
        if kind in BUILDS:
            out[task.id] = broken, True
        elif broken:  # a fault that breaks the build was never put to the test
            out[task.id] = False, True
        elif _seen(t, index, kind):
            out[task.id] = True, True
        elif kind in editors.FUNCTIONAL:
            doubted.append(task)
        else:
            out[task.id] = False, True
    if doubted:
        rebuilt = tables.load(go("rebuilt", doubted, "saboteur", replace(settings, mode="rebuild")))
        for task in doubted:
            out[task.id] = False, _seen(rebuilt, index_of(task.id), faults[task.id])
    return out


def _seen(t: Tables, index: int, kind: str) -> bool:
    """Did the tests fall, or for a memory fault: did an alert of its class name this edit?"""
    runs = scores.sampled(t)
    row = runs[runs["number"] == index].iloc[0]
    if kind not in editors.MEMORY:
        return bool(row["rate"] < 1)
    mine = t.alerts[(t.alerts["iteration"] == row["key"]) & (t.alerts["class"] == kind)]
    return bool(mine["edits"].map(lambda owners: index in owners).any())


def _shown(row: Mapping[str, Any]) -> str:
    """The function as the question shows it: with the comment before it."""
    return (row["comment"] + "\n" if row["comment"] else "") + str(row["original_function"])


def _share(rows: pd.DataFrame, kinds: tuple[str, ...]) -> dict[str, Any]:
    seeded = rows[rows["kind"].isin(kinds)]
    visible = int(seeded["visible"].sum())
    found = int((seeded["visible"] & seeded["found"]).sum())
    return {"seeded": len(seeded), "visible": visible, "recovered": found,
            "share": found / visible if visible else None}  # fmt: skip


def text(result: dict[str, Any]) -> str:
    lines = [f"{name:12}{r['recovered']} of {r['visible']} visible faults found "
             f"({r['seeded']} seeded)" for name, r in result["recovered"].items()]  # fmt: skip
    checks = [f"{'ok ' if done else 'NO '} identity: {name}"
              for name, done in result["identity"]["checks"].items()]  # fmt: skip
    return "\n".join([*checks, *lines, "valid" if result["ok"] else "NOT valid"])
