"""What a run of this suite writes beside samples and verdicts: functions, iterations, alerts."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from kit.generation import replay
from kit.records import Evidence, Outcome, Reason, Sample, Status, Task, Test, Verdict
from kit.store import Store, slot_of
from kit.suites.cproject.check import Build, Checked
from kit.suites.cproject.testsuite import Seen

SCHEMA = """
CREATE TABLE IF NOT EXISTS oss_edits (slot TEXT PRIMARY KEY, function_index INTEGER, name TEXT,
    path TEXT, key TEXT, build TEXT, why TEXT, changed INTEGER, mode TEXT);
CREATE TABLE IF NOT EXISTS oss_iterations (key TEXT PRIMARY KEY, purpose TEXT, number INTEGER,
    mode TEXT, edits TEXT, executed TEXT, rate REAL, passed INTEGER, planned INTEGER, failed TEXT,
    ended TEXT, wall_s REAL, note TEXT);
CREATE TABLE IF NOT EXISTS oss_alerts (iteration TEXT, key TEXT, kind TEXT, class TEXT,
    edits TEXT, PRIMARY KEY (iteration, key)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS oss_tests (iteration TEXT, test TEXT, passed INTEGER,
    PRIMARY KEY (iteration, test)) WITHOUT ROWID;
"""
BASELINES = ("baseline", "fuzz baseline")
ALERTS = ["iteration", "key", "kind", "class", "edits", "purpose", "number"]
OUTCOMES = {Build.SUCCESS: (Outcome.PASS, Reason.RULE_HELD),
            Build.FAILURE: (Outcome.FAIL, Reason.RULE_BROKEN),
            Build.UNRELATED: (Outcome.UNKNOWN, Reason.NOT_COMPARABLE)}  # fmt: skip


def prepare(store: Store) -> None:
    store.db.executescript(SCHEMA)


def task_of(project: str, row: Mapping[str, Any]) -> Task:
    """One function as a task of the suite, with the one test that each edit has of its own."""
    return Task(
        id=f"{project}:{row['function_index']:05d}",
        suite="ossbench",
        prompt=row["original_function"],
        tests=(Test("build", "functional"),),
        title=row["name"],
        domain=row["path"],
        source=row["filepath"],
    )


def put_edit(
    store: Store,
    sample: Sample,
    row: Mapping[str, Any],
    checked: Checked,
    *,
    key: str,
    changed: int,
) -> None:
    """The result of an edit's build: in the tidy table, and in a row of its own."""
    status = Status.COMPLETED
    if sample.status != Status.COMPLETED:
        status = sample.status
    elif checked.build == Build.FAILURE:
        status = Status.COMPILE_ERROR
    outcome, reason = OUTCOMES[checked.build]
    slot = slot_of(sample)
    line = (slot, row["function_index"], row["name"], row["path"], key, checked.build,
            checked.why, changed, "")  # fmt: skip
    with store.transaction():
        store.put_evidence(key, Evidence(status, note=checked.why, isolation="bwrap"))
        verdict = Verdict("build", outcome, reason, checked.why, "build", ("status",))
        store.put_verdict(key, verdict)
        store.put_cell(slot, "build", evidence=key, verdict=key, cached=False)
        store.db.execute("INSERT OR REPLACE INTO oss_edits VALUES (?,?,?,?,?,?,?,?,?)", line)


def known_edit(store: Store, sample: Sample, key: str) -> bool:
    query = "SELECT 1 FROM oss_edits WHERE slot = ? AND key = ?"
    return store.db.execute(query, (slot_of(sample), key)).fetchone() is not None


def put_modes(store: Store, modes: Mapping[int, str]) -> None:
    """How each edit is put in force: "switch", or why it needs a rebuild."""
    rows = [(mode, index) for index, mode in modes.items()]
    store.db.executemany("UPDATE oss_edits SET mode = ? WHERE function_index = ?", rows)


def put_iteration(
    store: Store,
    key: str,
    seen: Seen,
    *,
    purpose: str,
    number: int,
    mode: str,
    edits: Iterable[int],
    expected: Iterable[str],
) -> None:
    """One run of the suite, whole or not at all."""
    wanted = sorted(expected)
    failed = [t for t in wanted if not seen.tests.get(t, False)]
    passed = len(wanted) - len(failed)
    row = (key, purpose, number, mode, json.dumps(sorted(edits)), json.dumps(sorted(seen.executed)),
           seen.rate(wanted), passed, len(wanted), json.dumps(failed),
           json.dumps(dict(seen.ended)), seen.wall_s, seen.note)  # fmt: skip
    alerts: dict[str, tuple] = {}
    for alert, owners in seen.alerts:
        line = (key, alert.key, alert.kind, alert.group, json.dumps(sorted(set(owners))))
        alerts.setdefault(alert.key, line)
    with store.transaction():
        store.db.execute(
            "INSERT OR REPLACE INTO oss_iterations VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)", row
        )
        store.db.executemany(
            "INSERT OR REPLACE INTO oss_alerts VALUES (?,?,?,?,?)", alerts.values()
        )


def put_baseline(store: Store, key: str, seen: Seen) -> None:
    """Every test of the original: what later iterations are measured on, whoever resumes."""
    rows = [(key, test, int(passed)) for test, passed in seen.tests.items()]
    with store.transaction():
        store.db.executemany("INSERT OR REPLACE INTO oss_tests VALUES (?,?,?)", rows)


def passing(store: Store, key: str) -> list[str]:
    """The tests that the recorded baseline passes; none where it is not recorded."""
    query = "SELECT test FROM oss_tests WHERE iteration = ? AND passed ORDER BY test"
    return [test for (test,) in store.db.execute(query, (key,))]


def keep_only(store: Store, purpose: str, wanted: Callable[[int, str], str]) -> int:
    """Forget iterations of another draw; wanted: (number, mode) -> the key it has today."""
    query = "SELECT key, number, mode FROM oss_iterations WHERE purpose = ?"
    known = store.db.execute(query, (purpose,)).fetchall()
    gone = [(key,) for key, number, mode in known if key != wanted(number, mode)]
    with store.transaction():
        store.db.executemany("DELETE FROM oss_iterations WHERE key = ?", gone)
        store.db.executemany("DELETE FROM oss_alerts WHERE iteration = ?", gone)
    return len(gone)


def known_iterations(store: Store) -> set[str]:
    return {key for (key,) in store.db.execute("SELECT key FROM oss_iterations")}


def edits(store: Store) -> pd.DataFrame:
    """One row per planned edit that was checked: build, why, changed lines, mode."""
    return pd.read_sql_query("SELECT * FROM oss_edits ORDER BY function_index", store.db)


def by_module(tests: Iterable[str]) -> dict[str, int]:
    """How many of these tests each module (what stands before the slash) has."""
    return dict(sorted(Counter(t.partition("/")[0] for t in tests).items()))


def iterations(store: Store, purpose: str | None = None) -> pd.DataFrame:
    """One row per run of the suite; edits, executed and failed as lists.

    modules: module -> how many of its tests failed; digest: equal where the same tests failed.
    """
    rows = pd.read_sql_query("SELECT * FROM oss_iterations ORDER BY purpose, number", store.db)
    rows["digest"] = [hashlib.sha256(t.encode()).hexdigest()[:16] for t in rows["failed"]]
    for column in ("edits", "executed", "failed", "ended"):
        rows[column] = rows[column].map(json.loads)
    rows["modules"] = rows["failed"].map(by_module)
    return rows if purpose is None else rows[rows["purpose"] == purpose].reset_index(drop=True)


def alerts(store: Store, purpose: str | None = None) -> pd.DataFrame:
    """One row per alert and iteration, without those that the baseline raises."""
    query = "SELECT a.*, i.purpose, i.number FROM oss_alerts a JOIN oss_iterations i ON " \
            "i.key = a.iteration ORDER BY i.purpose, i.number, a.key"  # fmt: skip
    rows = pd.read_sql_query(query, store.db)
    rows["edits"] = rows["edits"].map(json.loads)
    clean = rows["purpose"].isin(BASELINES)
    rows = rows[~rows["key"].isin(set(rows.loc[clean, "key"])) & ~clean]
    return (rows if purpose is None else rows[rows["purpose"] == purpose]).reset_index(drop=True)


def raised(store: Store, purpose: str) -> dict[str, int]:
    """Unique alerts of each class in the runs of one purpose, a baseline's own too."""
    query = "SELECT a.class, count(DISTINCT a.key) FROM oss_alerts a JOIN oss_iterations i " \
            "ON i.key = a.iteration WHERE i.purpose = ? GROUP BY 1 ORDER BY 1"  # fmt: skip
    return dict(store.db.execute(query, (purpose,)).fetchall())


FILES = ("edits", "iterations", "alerts")


def publish(store: Store, folder: Path) -> None:
    """The run as text beside its SQLite file: a recording to replay, and its tables by line."""
    samples = list(store.samples())
    meta = store.meta()
    replay.write(folder, samples, settings={"prompt": "as in the samples' arms"})
    tables = {"edits": edits(store), "iterations": iterations(store), "alerts": alerts(store)}
    tables["iterations"] = tables["iterations"].drop(columns=["failed", "wall_s"])
    for name, table in tables.items():
        lines = [json.dumps(row, default=str) for row in table.to_dict("records")]
        (folder / f"{name}.jsonl").write_text("".join(line + "\n" for line in lines))
    (folder / "run.json").write_text(json.dumps(meta, indent=1, sort_keys=True) + "\n")


def published(folder: Path) -> tuple[dict[str, Any], dict[str, pd.DataFrame], int]:
    """(meta, tables, planned edits) of what `publish` wrote."""
    meta = json.loads((folder / "run.json").read_text())
    tables = {}
    for name in FILES:
        text = (folder / f"{name}.jsonl").read_text()
        tables[name] = pd.DataFrame([json.loads(line) for line in text.splitlines()])
    if tables["alerts"].empty:
        tables["alerts"] = pd.DataFrame(columns=ALERTS)
    return meta, tables, len((folder / replay.SAMPLES).read_text().splitlines())
