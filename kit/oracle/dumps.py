"""The databases of a task and of a run, as the SQL that makes them."""

import re
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from functools import lru_cache

from kit.core.records import Task
from kit.sandbox.base import make_relative

_HEAD = re.compile(
    r"(?:INSERT INTO|CREATE TABLE(?: IF NOT EXISTS)?|DELETE FROM) +[\"'`\[]?(\w+)"
    r"|CREATE [^(]*? ON +[\"'`\[]?(\w+)",
    re.I,
)
_FRAME = ("BEGIN TRANSACTION", "COMMIT", "COMMIT;", "")


def dump_before(task: Task, path: str) -> str | None:
    """The SQL dump of a database as the test found it, or None where the task does not give it."""
    for service in task.services:
        if make_relative(str(service.get("path", ""))) == make_relative(path) and "sql" in service:
            return _dump_database(str(service["sql"]))
    raw = task.files.get(make_relative(path))
    return _dump_database(raw) if raw else None


@lru_cache(maxsize=256)
def _dump_database(source: str | bytes) -> str | None:
    """The dump of the database that this SQL makes or these bytes are; None if they are none."""
    with closing(sqlite3.connect(":memory:")) as connection:
        try:
            if isinstance(source, str):
                connection.executescript(source)
            else:
                connection.deserialize(source)
            return "\n".join(connection.iterdump())
        except sqlite3.DatabaseError:
            return None


def dump_after(databases: Mapping[str, str], path: str) -> str | None:
    """The SQL dump that was taken after the run, or None."""
    for name, dump in databases.items():
        if make_relative(name) == make_relative(path):
            return dump
    return None


def list_statements(dump: str, tables: Sequence[str] = ()) -> list[str]:
    """The statements of a dump in order, those of the named tables where any are named."""
    statements = []
    for part in dump.split(";\n"):
        statement = part.strip()
        if statement.upper() in _FRAME:
            continue
        head = _HEAD.match(statement) if tables else None
        if not tables or (head and (head[1] or head[2]) in tables):
            statements.append(statement.rstrip(";"))
    return sorted(statements)
