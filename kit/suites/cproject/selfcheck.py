"""The suite checks itself: no edit scores as the baseline, and every seeded fault is found."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from kit.store import Store
from kit.suites.cproject import editors, record, scores
from kit.suites.cproject.check import Checker
from kit.suites.cproject.iterations import Lab
from kit.suites.cproject.job import OssJob
from kit.suites.cproject.toolchain import Workshop

NEEDED = {"compile": 1.0, "functional": 1.0, "memory": 0.9}
GROUPS = {"compile": ("compile",), "functional": editors.FUNCTIONAL, "memory": editors.MEMORY}


def validate(job: OssJob, box: Any, folder: Path) -> dict[str, Any]:
    """Identity and saboteur over the job's functions, each edit alone, in two runs below `folder`.

    ok: identity is the baseline, and of each kind of fault at least the share in NEEDED was found.
    Only faults in functions that the tests execute can show in tests; the others are counted apart.
    """
    with Workshop(box, job.project) as shop:
        identity, executed = _identity(replace(job, model="identity"), shop, folder / "identity")
        rows = _saboteur(replace(job, model="saboteur"), shop, folder / "saboteur", executed)
    recovered = {name: _share(rows, kinds) for name, kinds in GROUPS.items()}
    good = all(r["recovered"] >= NEEDED[n] * r["visible"] > 0 for n, r in recovered.items())
    clean = rows.loc[rows["kind"] == "none", "found"]
    lost = rows["visible"] & ~rows["found"] & (rows["kind"] != "none")
    return {
        "ok": bool(good and all(identity["checks"].values()) and not clean.any()),
        "functions": len(job.table),
        "executed by the tests": len(executed),
        "identity": identity,
        "seeded": rows["kind"].value_counts().to_dict(),
        "recovered": recovered,
        "alarms without a fault": int(clean.sum()),
        "missed": rows.loc[lost, ["name", "kind"]].to_dict("records"),
    }


def _built(job: OssJob, shop: Workshop, store: Store) -> Lab:
    record.prepare(store)
    store.set_meta(suite="ossbench", project=job.project.name, model=job.opened.name,
                   version=job.project.version)  # fmt: skip
    job.generate(store)
    job.check(store, Checker(shop, job.readers))
    return Lab(job, shop, store)


def _identity(job: OssJob, shop: Workshop, run: Path) -> tuple[dict[str, Any], frozenset[int]]:
    """The scores of no edit at all, with every switch on at once; and which functions ran."""
    with Store(run) as store:
        lab = _built(job, shop, store)
        everything = sorted(lab.edits)
        lab.once("sample", 0, everything, mode="schemata")
        row = record.iterations(store, "sample").iloc[0]
        passing = lab.expected
    got = scores.scores(scores.load(run))
    raw = [got["compilability"], got["functional"], got["memory"]]
    checks = {
        "scores are the baseline's": raw == [100.0, 100.0, 100.0],
        "every test reports as in the baseline": bool(
            row["passed"] == row["planned"] == len(passing) > 0
        ),
        "Delta is 0": got["delta"] == 0,
        "excluded as too similar": not got["ranked"],
    }
    keys = ("compilability", "functional", "memory", "delta", "score")
    return {"checks": checks} | {k: got[k] for k in keys}, frozenset(row["executed"])


def _saboteur(job: OssJob, shop: Workshop, run: Path, executed: frozenset[int]) -> pd.DataFrame:
    """One row per seeded edit: whether it can be seen, and whether it was found alone."""
    with Store(run) as store:
        lab = _built(job, shop, store)
        builds = dict(record.edits(store)[["function_index", "build"]].itertuples(index=False))
        rows = []
        for index, row in job.rows.items():
            kind = editors.seeded(_shown(row))
            found, broken = False, builds[index] == "failure"
            visible = kind in ("compile", "none") or index in executed
            if kind in ("compile", "none"):
                found = broken
            elif visible and not broken:  # a fault that breaks the build was never put to the test
                found, visible = _alone(lab, store, index, kind)
            rows.append({"name": row["name"], "kind": kind, "visible": visible, "found": found})
        return pd.DataFrame(rows)


def _shown(row: dict[str, Any]) -> str:
    """The function as the question shows it: with the comment before it."""
    return (row["comment"] + "\n" if row["comment"] else "") + row["original_function"]


def _alone(lab: Lab, store: Store, index: int, kind: str) -> tuple[bool, bool]:
    """(found, visible) of one fault, alone in force.

    A wrong result that no test looks at is not visible: a plain rebuild with the same edit passes
    every test too. That rebuild knows nothing of switches.
    """
    lab.once("alone", index, [index], mode="schemata")
    found = _seen(store, index, kind, "schemata")
    if found or kind not in editors.FUNCTIONAL:
        return found, True
    lab.once("alone", index, [index], mode="rebuild")
    return False, _seen(store, index, kind, "rebuild")


def _seen(store: Store, index: int, kind: str, mode: str) -> bool:
    """Did the tests fall, or for a memory fault: did an alert of its class name this edit?"""
    runs = record.iterations(store, "alone")
    row = runs[(runs["number"] == index) & (runs["mode"] == mode)].iloc[0]
    if kind not in editors.MEMORY:
        return bool(row["rate"] < 1)
    alerts = record.alerts(store, "alone")
    mine = alerts[(alerts["iteration"] == row["key"]) & (alerts["class"] == kind)]
    return bool(mine["edits"].map(lambda owners: index in owners).any())


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
