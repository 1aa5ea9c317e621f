"""SQLite's own fuzzcheck: the SQL and the database files that fuzzers found over the years."""

import re
import sqlite3
import tempfile
from collections.abc import Sequence
from pathlib import Path

from kit.suites.cproject.project import MOUNT, FuzzCorpus, Program, Unit

SOURCES = ("test/fuzzcheck.c", "test/fuzzinvariants.c", "test/ossfuzz.c", "test/vt02.c")
FLAGS = (f"-I{MOUNT}/test", f"-I{MOUNT}/ext/recover", "-DSQLITE_OSS_FUZZ")
OF_TESTS = re.compile(r"/(?:test\w*|\w+_test\w*|fts5_tcl|tclsqlite)\.c$")
WORDS = ("--native-malloc", "--verbose", "--timeout", "3000")


def corpus(
    sources: Sequence[str], flags: tuple[str, ...], libraries: tuple[str, ...]
) -> FuzzCorpus:
    """fuzzcheck, linked with those sources of testfixture that are no tests."""
    library = [s for s in sources if not OF_TESTS.search(s)]
    units = tuple(Unit(source, (*flags, *FLAGS)) for source in SOURCES)
    program = Program("fuzzcheck", (*SOURCES, *library), libraries)
    return FuzzCorpus(program, units, inputs, argv, r"^sqlid=\d+", r"\): timeout$")


def argv(files: Sequence[str], skip: int) -> list[str]:
    return [*WORDS, "--skip", str(skip), *files]


def inputs(tree: Path, count: int) -> dict[str, bytes]:
    """About `count` of the recorded inputs, spread evenly over all corpora in test/fuzzdata*.db.

    An input is a script, or a damaged database where a corpus has those.
    """
    files = sorted((tree / "test").glob("fuzzdata*.db"))
    keys = [(f, *kind_and_ids(f)) for f in files]
    total = sum(len(ids) for _, _, ids in keys)
    wanted, out, place = {n * total // count for n in range(count)}, {}, 0
    for file, kind, ids in keys:
        kept = [i for at, i in enumerate(ids, place) if at in wanted]
        place += len(ids)
        if kept:
            out[file.name] = part_of(file, kind, kept)
    return out


def kind_and_ids(file: Path) -> tuple[str, list[int]]:
    """("db" or "xsql", ids of its inputs) of one corpus."""
    with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as db:
        ids = {kind: [i for (i,) in db.execute(f"SELECT {key} FROM {kind} ORDER BY 1")]
               for kind, key in (("db", "dbid"), ("xsql", "sqlid"))}  # fmt: skip
    db.close()
    kind = "db" if ids["db"] else "xsql"
    return kind, ids[kind]


def part_of(file: Path, kind: str, kept: list[int]) -> bytes:
    """A copy of the corpus with these inputs only."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name, file.name)
        path.write_bytes(file.read_bytes())
        db = sqlite3.connect(path, isolation_level=None)
        db.execute("CREATE TEMP TABLE kept(id)")
        db.executemany("INSERT INTO kept VALUES (?)", [(i,) for i in kept])
        key = {"db": "dbid", "xsql": "sqlid"}[kind]
        db.execute(f"DELETE FROM {kind} WHERE {key} NOT IN (SELECT id FROM kept)")
        db.execute("VACUUM")
        db.close()
        return path.read_bytes()
