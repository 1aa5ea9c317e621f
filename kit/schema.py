"""The SQL tables of a run's file, and the migration of files of older versions."""

import hashlib
import json
import os
import sqlite3
from collections.abc import Iterator, MutableMapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pandas as pd

from kit.errors import KitError
from kit.records import Task, Test

VERSION = 2


def _sql(name: str) -> str:
    return (Path(__file__).parent / "sql" / f"{name}.sql").read_text(encoding="utf-8")


SCHEMA = _sql("tables")

PART = 2000  # samples of a part of the tidy table
FRAME_TYPES = {
    "suite": "str", "task": "str", "model": "str", "sample": int, "test": "str", "kind": "str",
    "cwe": "str", "domain": "str", "label": "str", "status": "str", "outcome": "str",
    "oracle": "str", "reason": "str", "wall_s": float, "cpu_s": float, "peak_mb": float,
    "isolation": "str", "cached": bool, "slot": "str", "arm": "str",
}  # fmt: skip
FRAME = _sql("tidy_table")

# A run that ships may keep of an evidence only how it ended: data is NULL.
SETTLED = """SELECT key FROM evidence
    WHERE status NOT IN ('infra_error', 'not_run') AND data IS NOT NULL"""
CAME = f"SELECT ({SETTLED.replace('key FROM ', 'count(*) FROM unit.')} AND key IN taken)"
DECIDED = "SELECT key FROM verdicts WHERE reason != 'oracle_failed'"

REPEATS = _sql("repeats")

OPINIONS = _sql("opinions")


def address(path: Path, *, write: bool) -> str:
    """Where SQLite finds the file. It cannot keep its log beside what may only be read."""
    log = path.with_name(path.name + "-wal")
    fixed = not write and not log.exists() and not os.access(path.parent, os.W_OK)
    return path.absolute().as_uri() + ("?immutable=1" if fixed else "")


def begin(path: Path) -> None:
    """A new file with every table, there at once: no reader ever sees half of it."""
    part = path.with_name(f"{path.name}.new")
    part.unlink(missing_ok=True)
    with closing(sqlite3.connect(part, isolation_level=None)) as db:
        # The log comes last: one that a full disk keeps from the file would stay behind, unread.
        db.executescript(SCHEMA + f"PRAGMA user_version={VERSION}; PRAGMA journal_mode=WAL;")
    part.replace(path)


def prepare(db: sqlite3.Connection, *, write: bool) -> None:
    """Every table is there afterwards: made in the file, or for this reader where it only reads.

    Raises sqlite3.DatabaseError for a file that is none of a run, KitError for one of a later kit.
    """
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if version > VERSION:
        raise KitError(
            f"The run's file has version {version}, and this kit knows {VERSION}. Update the kit."
        )
    if write:
        db.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;" + SCHEMA)
        if "title" not in {row[1] for row in db.execute("PRAGMA table_info(tests)")}:
            db.execute("ALTER TABLE tests ADD COLUMN title TEXT")
        db.execute(f"PRAGMA user_version = {VERSION}")
        return
    db.execute("SELECT slot FROM slots LIMIT 1")
    if version < VERSION:
        there = {n for (n,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        parts = [p for p in SCHEMA.split(";") if p.strip()]
        missing = [p for p in parts if p.split("EXISTS ")[1].split(" ")[0] not in there]
        db.executescript(";".join(missing).replace("CREATE TABLE", "CREATE TEMP TABLE"))


def arms(db: sqlite3.Connection) -> pd.DataFrame:
    """One row per model, arm and label of the run's samples, in order of appearance."""
    query = """SELECT model, arm, s.label FROM slots LEFT JOIN samples s USING (slot)
        WHERE slots.task IN (SELECT task FROM tests)
        GROUP BY model, arm, s.label ORDER BY min(slots.rowid)"""
    rows = db.execute(query).fetchall()
    fixed = [{"model": model, "arm": arm, "label": label} for model, arm, label in rows]
    return pd.DataFrame(
        [{**json.loads(f["arm"]), **f} for f in fixed], columns=None if rows else ["arm"]
    )


def tasks(db: sqlite3.Connection, *, prompt: str) -> list[Task]:
    """The run's tasks as its file holds them: tests by id, kind and CWE; `prompt` for each."""
    tests: dict[tuple[str, ...], list[Test]] = {}
    query = "SELECT suite, task, coalesce(title, ''), domain, test, kind, cwe FROM tests"
    for suite, task, title, domain, test, kind, cwe in db.execute(f"{query} ORDER BY rowid"):
        tests.setdefault((suite, task, title, domain), []).append(Test(test, kind, cwe=cwe))
    return [
        Task(task, suite, prompt, tuple(its_tests), title=title, domain=domain)
        for (suite, task, title, domain), its_tests in tests.items()
    ]


def frames(db: sqlite3.Connection) -> Iterator[pd.DataFrame]:
    """The tidy table in parts of whole samples, at least one: equal columns and types in each."""
    slots = [n for (n,) in db.execute("SELECT rowid FROM slots ORDER BY rowid")]
    wide = arms(db).drop_duplicates("arm").set_index("arm")
    wide = wide.drop(columns=[c for c in wide if c in FRAME_TYPES])
    for at in range(0, max(1, len(slots)), PART):
        part = slots[at : at + PART] or [0]
        ends = (part[0], part[-1])
        rows = pd.read_sql_query(FRAME, db, params=ends, dtype=FRAME_TYPES)
        yield rows.join(wide, on="arm").drop(columns="arm")


TAKEN = _sql("merge")


def merge(db: sqlite3.Connection, path: Path) -> tuple[int, int]:
    """Results of another run's file join this one: how many came, how many cells disagree.

    Every question is asked of the file's own keys, so that a run of any length costs no more. What
    is known stays, except failures of ours. A verdict that differs over the same key is kept
    beside it as a repeat, with its own evidence, under keys that carry a mark of the file.
    """
    with path.open("rb") as file:
        mark = {"mark": hashlib.file_digest(file, "sha256").hexdigest()[:12]}
    db.execute("ATTACH ? AS unit", (str(path),))
    try:
        with Transaction(db):
            for statement in filter(str.strip, TAKEN.split(";")):
                db.execute(statement, mark if ":mark" in statement else {})
            counts: tuple[int, int] = db.execute(f"{CAME}, (SELECT count(*) FROM other)").fetchone()
            db.execute("DROP TABLE taken")
            db.execute("DROP TABLE other")
    finally:
        db.execute("DETACH unit")
    return counts


class Transaction:
    """All of its statements, or none; one inside another is part of it."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self.db = db
        self.inner = False

    def __enter__(self) -> None:
        self.inner = self.db.in_transaction
        if not self.inner:
            self.db.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: type | None, *rest: object) -> None:
        if not self.inner:
            self.db.execute("ROLLBACK" if kind else "COMMIT")


class Responses(MutableMapping[str, dict[str, Any]]):
    """The cache of model answers, by content key."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self.db = db

    def __getitem__(self, key: str) -> dict[str, Any]:
        row = self.db.execute("SELECT data FROM responses WHERE key = ?", (key,)).fetchone()
        if row is None:
            raise KeyError(key)
        known: dict[str, Any] = json.loads(row[0])
        return known

    def __setitem__(self, key: str, value: dict[str, Any]) -> None:
        row = (key, json.dumps(value))
        self.db.execute("INSERT OR REPLACE INTO responses VALUES (?, ?)", row)

    def __delitem__(self, key: str) -> None:
        self.db.execute("DELETE FROM responses WHERE key = ?", (key,))

    def __iter__(self) -> Iterator[str]:
        return (key for (key,) in self.db.execute("SELECT key FROM responses"))

    def __len__(self) -> int:
        return int(self.db.execute("SELECT count(*) FROM responses").fetchone()[0])
