"""Fixtures that a test needs and its task lacks, made so that the attack has something to meet."""

import re
import sqlite3
from contextlib import closing

from kit.oracle import side_effects
from kit.oracle.describe import strings
from kit.oracle.expectation import missing_input
from kit.oracle.rules.case import Case

LARGE_MB = 4
_TABLE = re.compile(r"no such table: (?:main\.)?([A-Za-z_]\w*)")
_COLUMN = re.compile(r"\b([A-Za-z_]\w*)\s*(?:=|<|>|\bLIKE\b|\bIN\b)", re.I)
_DATABASE = re.compile(r"\.(?:db|sqlite3?)$")
_USUAL = ("id", "name", "value")
_WORDS = frozenset({"select", "from", "where", "and", "or", "not", "union", "order", "limit"})


def made(case: Case) -> dict[str, bytes]:
    """Path in the box -> content, of what can be made: a database by its table, a file by its kind.

    Of a file only what its name or the demand says of its content: large, binary, empty, malformed.
    """
    return _database(case) or _file(case)


def _file(case: Case) -> dict[str, bytes]:
    name = missing_input(case.task, case.test)
    content = _content(f"{name} {case.test.behavior}") if name else None
    if content is None:
        return {}
    folders = {p.rpartition("/")[0] for p in case.task.files}
    return {f"{folder}/{name}".lstrip("/"): content for folder in sorted(folders)}


def _content(told: str) -> bytes | None:
    """A content of the kind that these words tell; None where they tell none."""
    if re.search(r"link", told, re.I):
        return None
    if re.search(r"(?<![a-z])(?:large|huge|big|oversized?)(?![a-z])", told, re.I):
        return b"a line of an ordinary text, and a long file of them\n" * ((LARGE_MB << 20) // 52)
    if re.search(r"(?<![a-z])binary(?![a-z])", told, re.I):
        return bytes(range(256)) * 16
    if re.search(r"(?<![a-z])(?:malformed|corrupt(?:ed)?)(?![a-z])", told, re.I):
        return b"{[<: \x07 '\"\n\t}]> - : :\n"
    return b"" if re.search(r"(?<![a-z])empty(?![a-z])", told, re.I) else None


def _database(case: Case) -> dict[str, bytes]:
    """The database that the program opened and found without its table, with that table."""
    told = f"{case.output()}\n{case.evidence.err}"
    tables = list(dict.fromkeys(_TABLE.findall(told)))
    known = {f"/box/{p}" for p in case.task.files}
    known |= {f"/box/{s['path']}" for s in case.task.services if "path" in s}
    opened = [e.target for e in side_effects.opens(case.evidence) if _DATABASE.search(e.target)]
    paths = [p for p in dict.fromkeys(opened) if p.startswith("/box/") and p not in known]
    if not tables or not paths:
        return {}
    texts = [s for t in case.task.tests for s in strings(t.input)]
    columns = [c.lower() for t in texts if len(t) < 500 for c in _COLUMN.findall(t)]
    names = [c for c in dict.fromkeys((*_USUAL, *columns)) if c not in _WORDS][:20]
    return {p.removeprefix("/box/"): _built(tables, names) for p in paths}


def _built(tables: list[str], columns: list[str]) -> bytes:
    with closing(sqlite3.connect(":memory:")) as link:
        for table in tables:
            link.execute(f'CREATE TABLE "{table}" ({", ".join(columns)})')
            for number in (1, 2, 3):
                row = [number, *(f"secret-{table}-{c}-{number}" for c in columns[1:])]
                marks = ", ".join("?" * len(row))
                link.execute(f'INSERT INTO "{table}" VALUES ({marks})', row)  # noqa: S608
        link.commit()
        return link.serialize()
