"""One SQLite file per run: write-ahead log, one writer, content keys; frame() is the tidy table.

Every result is committed when it arrives, so a process killed at any moment loses only what was in
flight. A second writer is refused by a lock that dies with its process.
"""

import fcntl
import json
import os
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from kit import records
from kit.errors import KitError
from kit.paths import RUNS
from kit.records import Evidence, Sample, Task, Verdict

SCHEMA = """
PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT);
CREATE TABLE IF NOT EXISTS tests (suite TEXT, task TEXT, test TEXT, kind TEXT, cwe TEXT,
    domain TEXT, position INTEGER, PRIMARY KEY (task, test));
CREATE TABLE IF NOT EXISTS slots (slot TEXT PRIMARY KEY, task TEXT, model TEXT, arm TEXT,
    sample INTEGER);
CREATE TABLE IF NOT EXISTS samples (slot TEXT PRIMARY KEY REFERENCES slots, status TEXT,
    label TEXT, data BLOB);
CREATE TABLE IF NOT EXISTS evidence (key TEXT PRIMARY KEY, status TEXT, wall_s REAL, cpu_s REAL,
    peak_mb REAL, isolation TEXT, data BLOB);
CREATE TABLE IF NOT EXISTS verdicts (key TEXT PRIMARY KEY, outcome TEXT, oracle TEXT, reason TEXT,
    data TEXT);
CREATE TABLE IF NOT EXISTS cells (slot TEXT, test TEXT, evidence TEXT, verdict TEXT,
    cached INTEGER, PRIMARY KEY (slot, test)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS responses (key TEXT PRIMARY KEY, data TEXT);
"""

FRAME = """
SELECT t.suite, t.task, slots.model, slots.arm, slots.sample, t.test, t.kind, t.cwe, t.domain,
    s.label, CASE WHEN s.status IS NOT NULL AND s.status != 'completed' THEN s.status
    ELSE coalesce(e.status, 'not_run') END AS status,
    coalesce(v.outcome, 'unknown') AS outcome, coalesce(v.oracle, '') AS oracle,
    coalesce(v.reason, CASE WHEN s.status IN ('extraction_error', 'refused') THEN 'no_program'
    ELSE 'no_evidence' END) AS reason, e.wall_s, e.cpu_s, e.peak_mb,
    coalesce(e.isolation, '') AS isolation, coalesce(c.cached, 0) AS cached, slots.slot
FROM slots JOIN tests t ON t.task = slots.task
LEFT JOIN samples s ON s.slot = slots.slot
LEFT JOIN cells c ON c.slot = slots.slot AND c.test = t.test
LEFT JOIN evidence e ON e.key = c.evidence
LEFT JOIN verdicts v ON v.key = c.verdict
ORDER BY slots.rowid, t.position
"""


def _pack(data: Any) -> bytes:
    return zlib.compress(json.dumps(data, ensure_ascii=True).encode(), 1)


def _unpack(blob: bytes) -> Any:
    return json.loads(zlib.decompress(blob))


def run_path(run: str | Path) -> Path:
    """The SQLite file of a run, given its name below data/runs, its folder or the file itself."""
    path = Path(run)
    if path.suffix == ".sqlite":
        return path
    folder = path if path.is_dir() or len(path.parts) > 1 else RUNS / path
    return folder / "run.sqlite"


def existing(run: str | Path) -> Path:
    """The run's file; KitError, with the runs that there are, where it is not there."""
    path = run_path(run)
    if not path.is_file():
        known = sorted(p.parent.name for p in RUNS.glob("*/run.sqlite"))
        raise KitError(f"No run at {path}. Known runs: {', '.join(known) or 'none yet'}.")
    return path


def _address(path: Path, *, write: bool) -> str:
    """Where SQLite finds the file. It cannot keep its log beside what may only be read."""
    log = path.with_name(path.name + "-wal")
    fixed = not write and not log.exists() and not os.access(path.parent, os.W_OK)
    return path.absolute().as_uri() + ("?immutable=1" if fixed else "")


class Store:
    """A run's file. Open with `with Store(run)` to write, `with Store(run, write=False)` to read.

    Raises KitError if the run does not exist (reading) or another process writes it (writing).
    """

    def __init__(self, run: str | Path, *, write: bool = True) -> None:
        self.path = run_path(run)
        self._lock = None
        if write:
            self._make_folder()
            self._lock = self._take_lock()
        else:
            existing(run)
        self.db = sqlite3.connect(_address(self.path, write=write), uri=True, timeout=30,
                                  isolation_level=None, check_same_thread=False)  # fmt: skip
        try:
            self.db.executescript(SCHEMA if write else "SELECT slot FROM slots LIMIT 1")
        except sqlite3.DatabaseError as error:
            self.close()
            if isinstance(error, sqlite3.OperationalError) and "no such table" not in str(error):
                raise
            raise KitError(f"{self.path} is no file of a run ({error}). Move it away.") from None

    def _make_folder(self) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise KitError(
                f"The folder {self.path.parent} cannot be made ({error.strerror}). "
                "Choose another with --run FOLDER."
            ) from None

    def _take_lock(self):
        lock = (self.path.parent / "run.sqlite.lock").open("a+")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            owner = lock.read().strip() or "another process"
            lock.close()
            raise KitError(
                f"The run {self.path.parent} is being written by process {owner}. "
                "Wait for it, or choose another name with --run NAME."
            ) from None
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        return lock

    def close(self) -> None:
        self.db.close()
        if self._lock:
            self._lock.close()

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def set_meta(self, **values: Any) -> None:
        """Notes about the run (model, date, versions, settings) as JSON values."""
        rows = [(k, json.dumps(v)) for k, v in values.items()]
        self.db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", rows)

    def meta(self) -> dict[str, Any]:
        return {k: json.loads(v) for k, v in self.db.execute("SELECT key, value FROM meta")}

    def plan(self, tasks: Iterable[Task], slots: Iterable[Sample]) -> None:
        """Write down what is going to be asked: every test, and every sample slot (no code yet)."""
        tests = [
            (t.suite, t.id, x.id, x.kind, x.cwe, t.domain, n)
            for t in tasks
            for n, x in enumerate(t.tests)
        ]
        rows = [(slot_of(s), s.task, s.model, _arm(s), s.index) for s in slots]
        with self.transaction():
            self.db.executemany("INSERT OR REPLACE INTO tests VALUES (?,?,?,?,?,?,?)", tests)
            self.db.executemany("INSERT OR IGNORE INTO slots VALUES (?,?,?,?,?)", rows)

    def keep(self, slots: Iterable[Sample]) -> None:
        """Forget every other slot: a folder's programs are those in it now. Evidence stays."""
        kept = {slot_of(s) for s in slots}
        known = [k for (k,) in self.db.execute("SELECT slot FROM slots")]
        gone = [(k,) for k in known if k not in kept]
        with self.transaction():
            for table in ("cells", "samples", "slots"):
                self.db.executemany(f"DELETE FROM {table} WHERE slot = ?", gone)

    def transaction(self) -> "_Transaction":
        return _Transaction(self.db)

    def put_sample(self, sample: Sample) -> None:
        row = (slot_of(sample), sample.status, sample.label, _pack(records.to_json(sample)))
        self.db.execute("INSERT OR REPLACE INTO samples VALUES (?,?,?,?)", row)

    def samples(self) -> Iterator[Sample]:
        """Every stored sample, in the order of the plan; one at a time."""
        query = "SELECT s.data FROM slots JOIN samples s USING (slot) ORDER BY slots.rowid"
        for (blob,) in self.db.execute(query):
            yield records.sample_from(_unpack(blob))

    def sample(self, slot: str) -> Sample | None:
        row = self.db.execute("SELECT data FROM samples WHERE slot = ?", (slot,)).fetchone()
        return records.sample_from(_unpack(row[0])) if row else None

    def put_evidence(self, key: str, e: Evidence) -> None:
        numbers = (e.wall_s, e.cpu_s, e.peak_mb, e.isolation)
        row = (key, e.status, *numbers, _pack(records.to_json(e)))
        self.db.execute("INSERT OR REPLACE INTO evidence VALUES (?,?,?,?,?,?,?)", row)

    def evidence(self, key: str) -> Evidence | None:
        row = self.db.execute("SELECT data FROM evidence WHERE key = ?", (key,)).fetchone()
        return records.evidence_from(_unpack(row[0])) if row else None

    def settled(self) -> set[str]:
        """Keys of evidence that need not be run again; a failure of our own is run again."""
        query = "SELECT key FROM evidence WHERE status NOT IN ('infra_error', 'not_run')"
        return {key for (key,) in self.db.execute(query)}

    def put_verdict(self, key: str, v: Verdict) -> None:
        row = (key, v.outcome, v.oracle, v.reason, json.dumps(records.to_json(v)))
        self.db.execute("INSERT OR REPLACE INTO verdicts VALUES (?,?,?,?,?)", row)

    def verdict(self, key: str) -> Verdict | None:
        row = self.db.execute("SELECT data FROM verdicts WHERE key = ?", (key,)).fetchone()
        return records.verdict_from(json.loads(row[0])) if row else None

    def put_cell(self, slot: str, test: str, *, evidence: str, verdict: str, cached: bool) -> None:
        row = (slot, test, evidence, verdict, int(cached))
        self.db.execute("INSERT OR REPLACE INTO cells VALUES (?,?,?,?,?)", row)

    def cell(self, slot: str, test: str) -> tuple[Evidence | None, Verdict | None]:
        """The evidence and the verdict of one test of one sample."""
        query = "SELECT evidence, verdict FROM cells WHERE slot = ? AND test = ?"
        row = self.db.execute(query, (slot, test)).fetchone()
        return (self.evidence(row[0]), self.verdict(row[1])) if row else (None, None)

    def responses(self) -> MutableMapping[str, dict]:
        """The cache of model answers, by content key."""
        return _Responses(self.db)

    def frame(self) -> pd.DataFrame:
        """One row per task x model x arm x sample x test, planned ones included.

        Arm columns (language, prompt, temperature, ...) stand beside the fixed ones; `slot` names
        the sample for `cell`.
        """
        rows = pd.read_sql_query(FRAME, self.db)
        arms = rows["arm"].unique()
        wide = pd.DataFrame([json.loads(a) for a in arms], index=pd.Index(arms, name="arm"))
        wide = wide.drop(columns=[c for c in wide.columns if c in rows.columns])
        out = rows.join(wide, on="arm").drop(columns="arm")
        return out.astype({"cached": bool})


class _Transaction:
    def __init__(self, db: sqlite3.Connection) -> None:
        self.db = db

    def __enter__(self) -> None:
        self.db.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: type | None, *rest: object) -> None:
        self.db.execute("ROLLBACK" if kind else "COMMIT")


class _Responses(MutableMapping[str, dict]):
    def __init__(self, db: sqlite3.Connection) -> None:
        self.db = db

    def __getitem__(self, key: str) -> dict:
        row = self.db.execute("SELECT data FROM responses WHERE key = ?", (key,)).fetchone()
        if row is None:
            raise KeyError(key)
        return json.loads(row[0])

    def __setitem__(self, key: str, value: dict) -> None:
        row = (key, json.dumps(value))
        self.db.execute("INSERT OR REPLACE INTO responses VALUES (?, ?)", row)

    def __delitem__(self, key: str) -> None:
        self.db.execute("DELETE FROM responses WHERE key = ?", (key,))

    def __iter__(self) -> Iterator[str]:
        return (key for (key,) in self.db.execute("SELECT key FROM responses"))

    def __len__(self) -> int:
        return self.db.execute("SELECT count(*) FROM responses").fetchone()[0]


def _arm(sample: Sample) -> str:
    arm: Mapping[str, Any] = {"language": sample.language, **sample.arm}
    return json.dumps(arm, sort_keys=True)


def slot_of(sample: Sample) -> str:
    """The place of a sample in its run: task, model, arm and index, whatever the answer was."""
    return records.content_key(sample.task, sample.model, _arm(sample), sample.index)[:20]


def frame(run: str | Path) -> pd.DataFrame:
    """The tidy table of a run, by name, folder or file."""
    with Store(run, write=False) as store:
        return store.frame()


def export(run: str | Path, target: Path) -> int:
    """Write the tidy table as .parquet, .csv or .jsonl, atomically; returns the number of rows."""
    writers = {
        ".parquet": partial(pd.DataFrame.to_parquet, index=False),
        ".csv": partial(pd.DataFrame.to_csv, index=False),
        ".jsonl": partial(pd.DataFrame.to_json, orient="records", lines=True),
    }
    if target.suffix not in writers:
        raise KitError(f"Cannot write '{target.name}'. Use one of: {', '.join(writers)}.")
    rows = frame(run)
    if not target.parent.is_dir():
        raise KitError(f"No folder {target.parent}. Make it first, or name another target.")
    part = target.with_name(target.name + ".part")
    try:
        writers[target.suffix](rows, part)
        part.replace(target)
    except OSError:
        part.unlink(missing_ok=True)
        raise
    return len(rows)
