"""One SQLite file per run: write-ahead log, one writer, content keys; frame() is the tidy table.

Every result is committed when it arrives, so a process killed at any moment loses only what was in
flight. A second writer is refused by a lock that dies with its process. Files of older versions
are migrated. The long SQL is in kit/core/sql.
"""

import fcntl
import hashlib
import json
import os
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import fields
from operator import itemgetter
from pathlib import Path
from typing import Any, TextIO

import pandas as pd

from kit.core import records
from kit.core.errors import KitError
from kit.core.paths import begun_folder, path_to_write, require_run, run_path
from kit.core.records import Evidence, Finding, Sample, Task, Test, Verdict

VERSION = 3
SQL = {p.stem: p.read_text("utf-8") for p in Path(__file__).with_name("sql").glob("*.sql")}
PART = 2000  # samples of a part of the tidy table
FRAME_TYPES = {
    "suite": "str",
    "task": "str",
    "model": "str",
    "sample": int,
    "test": "str",
    "kind": "str",
    "cwe": "str",
    "domain": "str",
    "label": "str",
    "status": "str",
    "outcome": "str",
    "oracle": "str",
    "reason": "str",
    "wall_s": float,
    "cpu_s": float,
    "peak_mb": float,
    "isolation": "str",
    "cached": bool,
    "slot": "str",
    "arm": "str",
}
# A run that ships may keep of an evidence only how it ended: data is NULL.
SETTLED = """SELECT key FROM evidence
    WHERE status NOT IN ('infra_error', 'not_run') AND data IS NOT NULL"""
CAME = f"SELECT ({SETTLED.replace('key FROM ', 'count(*) FROM unit.')} AND key IN taken)"
DECIDED = "SELECT key FROM verdicts WHERE reason != 'oracle_failed'"


def sqlite_address(path: Path, *, write: bool) -> str:
    """The file's URI for SQLite, which can keep no log in a folder that may only be read."""
    log = path.with_name(path.name + "-wal")
    fixed = not write and not log.exists() and not os.access(path.parent, os.W_OK)
    return path.absolute().as_uri() + ("?immutable=1" if fixed else "")


def create_file(path: Path) -> None:
    """Create a file with every table, in one step: no reader ever sees half of it."""
    draft = path.with_name(f"{path.name}.new")
    draft.unlink(missing_ok=True)
    with closing(sqlite3.connect(draft, isolation_level=None)) as db:
        # The log comes last: one that a full disk keeps from the file would stay behind, unread.
        db.executescript(SQL["tables"] + f"PRAGMA user_version={VERSION}; PRAGMA journal_mode=WAL;")
    draft.replace(path)


def add_missing_tables(db: sqlite3.Connection, *, write: bool) -> None:
    """Add the tables that the file lacks; where it is only read, to this connection alone.

    Raises sqlite3.DatabaseError if the file is no run's, KitError if it is of a later kit.
    """
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if version > VERSION:
        raise KitError(
            f"The run's file has version {version}, and this kit knows {VERSION}. Update the kit."
        )
    if write:
        db.executescript(SQL["writer"] + SQL["tables"])
        if "title" not in {row[1] for row in db.execute("PRAGMA table_info(tests)")}:
            db.execute("ALTER TABLE tests ADD COLUMN title TEXT")
        db.execute(f"PRAGMA user_version = {VERSION}")
        return
    db.execute("SELECT slot FROM slots LIMIT 1")
    if version < VERSION:
        present = {n for (n,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        missing = []
        for statement in filter(str.strip, SQL["tables"].split(";")):
            table = statement.split("EXISTS ")[1].split(" ")[0]
            if table not in present:
                missing.append(statement)
        db.executescript(";".join(missing).replace("CREATE TABLE", "CREATE TEMP TABLE"))


class Responses(MutableMapping[str, dict[str, Any]]):
    """The cache of model answers, by content key."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self.db = db

    def __getitem__(self, key: str) -> dict[str, Any]:
        row = self.db.execute("SELECT data FROM responses WHERE key = ?", (key,)).fetchone()
        if row is None:
            raise KeyError(key)
        answer: dict[str, Any] = _unpack_json(row[0])
        return answer

    def __setitem__(self, key: str, value: dict[str, Any]) -> None:
        row = (key, json.dumps(value))
        self.db.execute("INSERT OR REPLACE INTO responses VALUES (?, ?)", row)

    def __delitem__(self, key: str) -> None:
        self.db.execute("DELETE FROM responses WHERE key = ?", (key,))

    def __iter__(self) -> Iterator[str]:
        return (key for (key,) in self.db.execute("SELECT key FROM responses"))

    def __len__(self) -> int:
        return int(self.db.execute("SELECT count(*) FROM responses").fetchone()[0])


def _pack_json(data: Any) -> bytes:
    return zlib.compress(json.dumps(data, ensure_ascii=True).encode(), 1)


def _unpack_json(stored: Any, make: Callable[[Any], Any] | None = None) -> Any:
    """What was kept as JSON, packed or not. Raises sqlite3.DatabaseError if it is damaged."""
    try:
        data = json.loads(zlib.decompress(stored) if isinstance(stored, bytes) else stored)
        return make(data) if make else data
    except (zlib.error, ValueError, TypeError, LookupError, AttributeError) as error:
        raise sqlite3.DatabaseError(f"a malformed record: {error}") from None


class Store:
    """A run's file. Open with `with Store(run)` to write, `with Store(run, write=False)` to read.

    Raises KitError if the run does not exist (reading) or another process writes it (writing).
    """

    def __init__(self, run: str | Path, *, write: bool = True) -> None:
        self.path = run_path(run)
        if write:
            self.path = path_to_write(self.path.parent) / self.path.name
        with ExitStack() as opened:  # a failure, such as a full disk, must not leave the lock
            if write:
                begun_folder(self.path)
                lock = (self.path.parent / "run.sqlite.lock").open("a+")
                self._take_lock(opened.enter_context(lock))
                if not self.path.exists():
                    create_file(self.path)
            else:
                require_run(run)
            self.db = sqlite3.connect(
                sqlite_address(self.path, write=write),
                uri=True,
                timeout=30,
                isolation_level=None,
                # Threads read too. Two with the same statement out of Python's cache of statements
                # get each other's rows (seen with Python 3.13), so each one prepares its own.
                check_same_thread=False,
                cached_statements=0,
            )
            opened.callback(self.db.close)
            try:
                add_missing_tables(self.db, write=write)
            except sqlite3.DatabaseError as error:
                if type(error) is sqlite3.OperationalError and "no such table" not in str(error):
                    raise
                sentence = f"{self.path} is not a run's file ({error}). Move it away."
                raise KitError(sentence) from None
            self._opened = opened.pop_all()

    def _take_lock(self, lock: TextIO) -> None:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            owner = lock.read().strip() or "another process"
            raise KitError(
                f"The run {self.path.parent} is being written by process {owner}. "
                "Wait for it, or choose another name with --run NAME."
            ) from None
        lock.truncate(0)
        os.write(lock.fileno(), str(os.getpid()).encode())

    def close(self) -> None:
        self._opened.close()

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def set_meta(self, **values: Any) -> None:
        """Notes about the run as JSON values; KitError if the run is of another suite."""
        suite = self.meta().get("suite")
        if suite and values.get("suite", suite) != suite:
            raise KitError(
                f"The run {self.path.parent} is of the suite {suite}, not "
                f"{values['suite']}. Choose another name with --run NAME."
            )
        rows = [(k, json.dumps(v)) for k, v in values.items()]
        self.db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", rows)

    def begin(self, **values: Any) -> None:
        """`set_meta` for this command; what earlier commands set stays, in `invocations`."""
        meta = self.meta()
        invocations = list(meta.get("invocations") or ())
        earlier = {name: meta[name] for name in values if name in meta}
        if earlier and not invocations:
            invocations.append(earlier)
        if values not in invocations[-1:]:
            invocations.append(values)
        self.set_meta(**values, invocations=invocations)

    def meta(self) -> dict[str, Any]:
        return {k: _unpack_json(v) for k, v in self.db.execute("SELECT key, value FROM meta")}

    def plan(self, tasks: Iterable[Task], slots: Iterable[Sample]) -> int:
        """Store the plan: every test, and a slot for every sample (no code yet).

        Tests that a task no longer has, and slots without an answer that are no longer asked for,
        leave the plan; returns the number of these slots.
        """
        tasks = list(tasks)
        tests = []
        for task in tasks:
            for position, test in enumerate(task.tests):
                names = (task.suite, task.id, test.id, test.kind, test.cwe, task.domain)
                tests.append((*names, position, task.title))
        facts = [(task.id, json.dumps(dict(task.facts))) for task in tasks]
        rows = [(slot_of(s), s.task, s.model, _encode_arm(s), s.index) for s in slots]
        planned = {row[0] for row in rows}
        idle = "SELECT slot FROM slots WHERE slot NOT IN (SELECT slot FROM samples)"
        with self.transaction():
            gone = [row for row in self.db.execute(idle).fetchall() if row[0] not in planned]
            self.db.executemany("DELETE FROM slots WHERE slot = ?", gone)
            self.db.executemany("DELETE FROM tests WHERE task = ?", [(t.id,) for t in tasks])
            self.db.executemany("INSERT INTO tests VALUES (?,?,?,?,?,?,?,?)", tests)
            self.db.executemany("INSERT OR REPLACE INTO facts VALUES (?,?)", facts)
            self.db.executemany("INSERT OR IGNORE INTO slots VALUES (?,?,?,?,?)", rows)
        return len(gone)

    def keep(self, slots: Iterable[Sample]) -> None:
        """Forget all other slots: a folder has only the programs in it now. Evidence stays."""
        current = set(map(slot_of, slots))
        gone = [row for row in self.db.execute("SELECT slot FROM slots") if row[0] not in current]
        with self.transaction():
            for table in ("cells", "samples", "slots"):
                self.db.executemany(f"DELETE FROM {table} WHERE slot = ?", gone)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All statements inside it, or none; one inside another is part of it."""
        if self.db.in_transaction:
            yield
            return
        self.db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self.db.execute("ROLLBACK")
            raise
        self.db.execute("COMMIT")

    def _insert_row(self, table: str, *row: Any) -> None:
        places = ",".join("?" * len(row))
        self.db.execute(f"INSERT OR REPLACE INTO {table} VALUES ({places})", row)

    def _fetch_row(self, query: str, *values: str) -> Any:
        """The first row of a query, or None."""
        return self.db.execute(query, values).fetchone()

    def put_sample(self, sample: Sample) -> None:
        data = _pack_json(records.to_json(sample))
        self._insert_row("samples", slot_of(sample), sample.status, sample.label, data)

    def samples(self) -> Iterator[Sample]:
        """Every stored sample, in the order of the plan; one at a time."""
        query = """SELECT slots.rowid, s.data FROM slots JOIN samples s USING (slot)
            WHERE slots.rowid > ? ORDER BY slots.rowid LIMIT 200"""
        rows: list[Any] = [(0,)]
        while rows := self.db.execute(query, rows[-1][:1]).fetchall():  # no read stays open
            yield from (_unpack_json(blob, records.sample_from) for _, blob in rows)

    def sample(self, slot: str) -> Sample | None:
        row = self._fetch_row("SELECT data FROM samples WHERE slot = ?", slot)
        return _unpack_json(row[0], records.sample_from) if row else None

    def put_evidence(self, key: str, e: Evidence) -> None:
        data = _pack_json(records.to_json(e))
        self._insert_row("evidence", key, e.status, e.wall_s, e.cpu_s, e.peak_mb, e.isolation, data)

    def evidence(self, key: str) -> Evidence | None:
        """None where it is unknown, or where a run that ships keeps only how it ended."""
        row = self._fetch_row("SELECT data FROM evidence WHERE key = ?", key)
        return _unpack_json(row[0], records.evidence_from) if row and row[0] else None

    def find_settled(self, keys: Iterable[str] | None = None) -> set[str]:
        """Keys of evidence that need not be produced again, all or those among `keys`.

        A failure of our own needs another run.
        """
        if keys is not None:
            return self._select_keys(SETTLED, keys)
        return {key for (key,) in self.db.execute(SETTLED)}

    def find_decided(self, keys: Iterable[str]) -> set[str]:
        """Those of these keys that have a verdict; an error of our own is none."""
        return self._select_keys(DECIDED, keys)

    def _select_keys(self, query: str, keys: Iterable[str]) -> set[str]:
        named = f"{query} AND key IN (SELECT value FROM json_each(?))"
        return {key for (key,) in self.db.execute(named, (json.dumps(list(keys)),))}

    def put_verdict(self, key: str, v: Verdict) -> None:
        data = json.dumps(records.to_json(v))
        self._insert_row("verdicts", key, v.outcome, v.oracle, v.reason, data)

    def verdict(self, key: str) -> Verdict | None:
        row = self._fetch_row("SELECT data FROM verdicts WHERE key = ?", key)
        return _unpack_json(row[0], records.verdict_from) if row else None

    def put_cells(self, rows: Iterable[tuple[str, str, str, str, bool]]) -> None:
        """Cells as (slot, test, key of the evidence, key of the verdict, whether cached)."""
        self.db.executemany(SQL["cells"], rows)

    def cell(self, slot: str, test: str) -> tuple[Evidence | None, Verdict | None]:
        """The evidence and the verdict of one test of one sample."""
        query = "SELECT evidence, verdict FROM cells WHERE slot = ? AND test = ?"
        row = self._fetch_row(query, slot, test)
        return (self.evidence(row[0]), self.verdict(row[1])) if row else (None, None)

    def put_repeat(self, slot: str, test: str, n: int, *, evidence: str, verdict: str) -> None:
        self._insert_row("repeats", slot, test, n, evidence, verdict)

    def put_opinion(self, slot: str, test: str, *, oracle: str, verdict: str, offline: str) -> None:
        """A further oracle's verdict on a test, beside the key of the offline oracle's."""
        self._insert_row("opinions", slot, test, oracle, verdict, offline)

    def repeats(self) -> pd.DataFrame:
        """One row per cell and repeat, with status and outcome."""
        return pd.read_sql_query(SQL["repeats"], self.db)

    def opinions(self) -> pd.DataFrame:
        """One row per test that a judge gave an opinion on, with the offline oracle's outcome."""
        return pd.read_sql_query(SQL["opinions"], self.db)

    def has_trial(self, key: str) -> bool:
        return self._fetch_row("SELECT 1 FROM trials WHERE key = ?", key) is not None

    def put_trial(self, key: str, kind: str, position: int, data: Mapping[str, Any]) -> None:
        """What a suite reads again of a trial that is more than one test of one sample."""
        self._insert_row("trials", key, kind, position, json.dumps(data))

    def trials(self, kind: str | None = None) -> list[dict[str, Any]]:
        """The trials of one kind, or all, as {key, kind, position, **data}, by position."""
        rows = self.db.execute("SELECT key, kind, position, data FROM trials ORDER BY 2, 3")
        trials = []
        for key, its_kind, n, data in rows:
            if kind in (None, its_kind):
                trial = {"key": key, "kind": its_kind, "position": n}
                trials.append(trial | _unpack_json(data, dict))
        return trials

    def drop_trials(self, keys: Iterable[str]) -> None:
        """Forget these trials with their findings."""
        gone = [(key,) for key in keys]
        with self.transaction():
            self.db.executemany("DELETE FROM trials WHERE key = ?", gone)
            self.db.executemany("DELETE FROM findings WHERE trial = ?", gone)

    def put_findings(
        self, trial: str, findings: Sequence[Finding], slots: Sequence[Sequence[str]] = ()
    ) -> None:
        """The findings of a trial, which replace earlier ones, each with the slots it is of."""
        owners = slots or [()] * len(findings)
        rows: list[tuple[Any, ...]] = []
        for f, its_slots in zip(findings, owners, strict=True):
            columns = (f.engine, f.rule, f.cwe, f.file, f.line, f.function, f.key)
            texts = (json.dumps(list(its_slots)), json.dumps(records.to_json(f)))
            rows.append((trial, len(rows), *columns, *texts))
        with self.transaction():
            self.db.execute("DELETE FROM findings WHERE trial = ?", (trial,))
            self.db.executemany("INSERT INTO findings VALUES (?,?,?,?,?,?,?,?,?,?,?)", rows)

    def findings(self) -> pd.DataFrame:
        """One row per finding: trial, the columns of Finding, and `slots`, whose samples it is."""
        query = "SELECT trial, slots, data FROM findings ORDER BY trial, position"
        rows = []
        for trial, slots, data in self.db.execute(query):
            rows.append({"trial": trial, "slots": _unpack_json(slots), **_unpack_json(data, dict)})
        names = [field.name for field in fields(Finding)]
        return pd.DataFrame(rows, columns=["trial", "slots", *names])

    def evidence_key(self, slot: str, test: str) -> str:
        """The key of the evidence that a cell rests on; "" where there is none."""
        query = "SELECT evidence FROM cells WHERE slot = ? AND test = ?"
        row = self._fetch_row(query, slot, test)
        return str(row[0]) if row else ""

    def merge(self, path: Path) -> tuple[int, int]:
        """Results of another run's file join this one: how many came, how many cells disagree.

        Every query is about the file's own keys, so that the length of this run costs nothing.
        Known results stay, except failures of ours. A verdict that differs over the same key is
        kept beside it as a repeat, with its evidence, under keys with a mark of the file.
        """
        with path.open("rb") as file:
            mark = {"mark": hashlib.file_digest(file, "sha256").hexdigest()[:12]}
        self.db.execute("ATTACH ? AS unit", (str(path),))
        try:
            with self.transaction():
                for statement in filter(str.strip, SQL["merge"].split(";")):
                    self.db.execute(statement, mark if ":mark" in statement else {})
                counts: tuple[int, int] = self._fetch_row(f"{CAME}, (SELECT count(*) FROM other)")
                self.db.execute("DROP TABLE taken")
                self.db.execute("DROP TABLE other")
        finally:
            self.db.execute("DETACH unit")
        return counts

    def lacking(self) -> int:
        """The number of planned tests that have no result yet."""
        query = """SELECT (SELECT count(*) FROM slots JOIN tests USING (task))
            - (SELECT count(*) FROM cells)"""
        return int(self._fetch_row(query)[0])

    def counts(self) -> tuple[int, int]:
        """Samples planned, and samples answered."""
        query = "SELECT (SELECT count(*) FROM slots), (SELECT count(*) FROM samples)"
        planned, answered = self._fetch_row(query)
        return planned, answered

    def response_cache(self) -> MutableMapping[str, dict[str, Any]]:
        """The cache of model answers, by content key."""
        return Responses(self.db)

    def frame(self) -> pd.DataFrame:
        """One row per task x model x arm x sample x test, planned ones included; arm columns
        (language, prompt, temperature, ...) beside the fixed ones; `slot` names the sample.
        Columns that begin with task_ are facts of the task."""
        return pd.concat(self.frames(), ignore_index=True)

    def frames(self) -> Iterator[pd.DataFrame]:
        """The tidy table in parts of whole samples, at least one, of equal columns and types."""
        slots = [n for (n,) in self.db.execute("SELECT rowid FROM slots ORDER BY rowid")]
        wide = self.arms().drop_duplicates("arm").set_index("arm")
        wide = wide.drop(columns=[c for c in wide if c in FRAME_TYPES])
        tasks = dict(self.db.execute("SELECT task, data FROM facts"))
        facts = pd.DataFrame(map(_unpack_json, tasks.values()), index=pd.Index(tasks, dtype="str"))
        for at in range(0, max(1, len(slots)), PART):
            rowids = slots[at : at + PART] or [0]
            ends = (rowids[0], rowids[-1])
            try:
                rows = pd.read_sql_query(SQL["tidy_table"], self.db, params=ends, dtype=FRAME_TYPES)
            except (ValueError, TypeError) as error:
                raise sqlite3.DatabaseError(f"a malformed table: {error}") from None
            rows = rows.join(wide, on="arm").drop(columns="arm")
            yield rows.join(facts.add_prefix(records.FACT), on="task")

    def arms(self) -> pd.DataFrame:
        """One row per model, arm and label of the run's samples, in order of appearance; columns
        as in the tidy table."""
        query = """SELECT model, arm, coalesce(s.label, '') FROM slots
            LEFT JOIN samples s USING (slot)
            WHERE slots.task IN (SELECT task FROM tests)
            GROUP BY 1, 2, 3 ORDER BY min(slots.rowid)"""
        rows = []
        for model, arm, label in self.db.execute(query):
            rows.append({**_unpack_json(arm, dict), "model": model, "arm": arm, "label": label})
        return pd.DataFrame(rows, columns=None if rows else ["arm"])

    def tasks(self, *, prompt: str) -> list[Task]:
        """The tasks as the file has them: tests by id, kind and CWE; `prompt` for each."""
        tests: dict[tuple[str, ...], list[Test]] = {}
        query = """SELECT suite, task, coalesce(title, ''), domain, test, kind, cwe FROM tests
            ORDER BY rowid"""
        for suite, task, title, domain, test, kind, cwe in self.db.execute(query):
            tests.setdefault((suite, task, title, domain), []).append(Test(test, kind, cwe=cwe))
        return [
            Task(task, suite, prompt, tuple(its_tests), title=title, domain=domain)
            for (suite, task, title, domain), its_tests in tests.items()
        ]

    def explain_tests(self, slot: str) -> dict[str, tuple[str, str, str]]:
        """Per test of a sample the key of its evidence, its note, and its verdict's sentence."""
        query = """SELECT c.test, c.evidence, e.data, v.data FROM cells c
            LEFT JOIN evidence e ON e.key = c.evidence
            LEFT JOIN verdicts v ON v.key = c.verdict WHERE c.slot = ?"""
        explanations = {}
        for test, key, evidence, verdict in self.db.execute(query, (slot,)):
            note = _unpack_json(evidence, itemgetter("note")) if evidence else ""
            sentence = _unpack_json(verdict, itemgetter("sentence")) if verdict else ""
            explanations[test] = (key, note, sentence)
        return explanations


def _encode_arm(sample: Sample) -> str:
    arm: Mapping[str, Any] = {"language": sample.language, **sample.arm}
    return json.dumps(arm, sort_keys=True)


def slot_of(sample: Sample) -> str:
    """The place of a sample in its run: task, model, arm and index, whatever the answer was."""

    def make_slot() -> str:
        parts = (sample.task, sample.model, _encode_arm(sample), sample.index)
        return records.content_key(*parts)[:20]

    return records.cache_text(sample, "_slot", make_slot)


def frame(run: str | Path) -> pd.DataFrame:
    """The tidy table of a run, by name, folder or file."""
    with Store(run, write=False) as store:
        return store.frame()
