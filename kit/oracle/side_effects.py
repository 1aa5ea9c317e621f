"""Answers questions about a run's side effects from its events, files and databases."""

import posixpath
import re
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any
from urllib.parse import unquote

from kit.harness.wording import RUNTIME, is_routine
from kit.oracle.describe import strings
from kit.records import Event, Evidence, Task

BOX = "/box"
WRITES = ("write", "delete", "rename")
DEVICES = ("/dev/null", "/dev/tty", "/dev/stdout", "/dev/stderr", "/proc/self/fd/", "/dev/fd/")
_LOADED = re.compile(r"/box(?:/main(?:\.\w+)?)?|/(?:box/)?node_modules/.*|/proc/sys/.*")
RESOLVER = ("127.0.0.1:53", "127.0.0.53:53", "[::1]:53")  # in a box: nobody answers


def absolute(path: str) -> str:
    """A path or glob as the events name it: relative ones lie under /box."""
    return posixpath.normpath(posixpath.join(BOX, path))


def relative(path: str) -> str:
    """A path as evidence.files and task.files name it."""
    return absolute(path).removeprefix(BOX + "/")


def named(path: str, task: Task, evidence: Evidence) -> list[str]:
    """The files that a glob meets, of those there before and after and those written; or `path`."""
    path = relative(path)
    known = {*task.files, *evidence.files, *evidence.skipped}
    known |= {relative(e.target) for e in writes(evidence)}
    return [path] if path in known else sorted(p for p in known if fnmatchcase(p, path)) or [path]


def matches(target: str, globs: str | Iterable[str]) -> bool:
    """Whether a target matches one of the globs; a wildcard does not reach the runtime's files."""
    globs = [globs] if isinstance(globs, str) else globs
    wanted = [absolute(g) for g in globs]
    if target in wanted:
        return True
    if any(fnmatchcase(target, r) for r in RUNTIME):
        return False
    return any(fnmatchcase(target, g) for g in wanted)


def under(target: str, roots: Iterable[str]) -> bool:
    """Whether a path is one of the roots or lies below one."""
    return any(target == r or target.startswith(r.rstrip("/") + "/") for r in map(absolute, roots))


def writes(evidence: Evidence) -> list[Event]:
    """Everything that would have changed a file, whether or not it was allowed to.

    Making a folder that is already there (EEXIST, as `mkdir -p` tries) would have changed nothing.
    """
    changing = [e for e in evidence.events if e.kind in WRITES or _opens_to_write(e)]
    changing = [e for e in changing if not (e.mode == "mkdir" and e.error == "EEXIST")]
    return [e for e in changing if not e.target.startswith(DEVICES)]


def _opens_to_write(event: Event) -> bool:
    return event.kind == "open" and "w" in event.mode


def opens(evidence: Evidence) -> list[Event]:
    """Every open, and for what has no file name of its own to open, every other change."""
    return [e for e in evidence.events if e.kind == "open" or e.kind in WRITES]


def opens_of_its_own(evidence: Evidence, given: Any) -> list[Event]:
    """Opens without what runtimes, libraries and loaders read, but for files that `given` names."""
    texts = [unquote(t) for t in strings(given) if len(t) < 10_000]
    named = {n for t in texts if "/" in t or "\\" in t for n in re.split(r"[/\\\s\"'<>=&;|?#]+", t)}
    return [
        e
        for e in opens(evidence)
        if not e.target.startswith(DEVICES)
        and not (_of_the_runtime(e) and posixpath.basename(e.target) not in named)
    ]


def _of_the_runtime(event: Event) -> bool:
    """Python lists the program's folder where it imports; loaders read the program itself."""
    loaded = event.kind == "open" and "w" not in event.mode
    return is_routine(event) or (loaded and bool(_LOADED.fullmatch(event.target)))


def execs(evidence: Evidence) -> list[Event]:
    """Programs that the candidate started; its own start, kind "start", is not one of them."""
    return [e for e in evidence.events if e.kind == "exec"]


def unsettled(evidence: Evidence, *kinds: str) -> str:
    """An attempt of these kinds, or of any, of unknown result, in words; "" if there is none."""
    open_ends = [e for e in evidence.events if e.unknown and (e.kind in kinds or not kinds)]
    return (
        f"nobody saw what came of {open_ends[0].kind} {open_ends[0].target[:100]}"
        if open_ends
        else ""
    )


def network(evidence: Evidence, kind: str) -> list[Event]:
    """Connects or binds, without the C library's own: name service sockets, routes, look-ups."""
    attempts = [e for e in evidence.events if e.kind == kind]
    return [e for e in attempts if not _of_the_library(e)]


def _of_the_library(event: Event) -> bool:
    """Port 0 is how it asks which of its own addresses a host would be reached from."""
    target = event.target
    if target.startswith(("unix:", "family:")):
        return "nscd" in target or "/uuidd/" in target or target == "family:NETLINK"
    return event.kind == "connect" and (target in RESOLVER or target.endswith(":0"))


def address_in(address: str, globs: Iterable[str]) -> bool:
    """Whether "host:port" matches one of the globs; brackets of IPv6 are no character class."""
    plain = address.replace("[", "").replace("]", "")
    return any(fnmatchcase(plain, g.replace("[", "").replace("]", "")) for g in globs)


def removed(evidence: Evidence, path: str) -> bool:
    """Whether the last thing that happened to a path took it away."""
    target, gone = absolute(path), False
    for event in evidence.events:
        if event.target != target or event.result < 0 or event.unknown:
            continue
        if event.kind == "delete" or (event.kind == "rename" and event.mode == "from"):
            gone = True
        elif event.kind == "write" or event.kind == "rename" or _opens_to_write(event):
            gone = False
    return gone


def created(evidence: Evidence, path: str) -> bool:
    """Whether the program made or opened a path to write to it, and did not take it away again."""
    changes = [e for e in writes(evidence) if e.target == absolute(path) and e.result >= 0]
    return bool(changes) and not removed(evidence, path)


def dump_before(task: Task, path: str) -> str | None:
    """The SQL dump of a database as the test found it, or None where the task does not give it."""
    for service in task.services:
        if relative(str(service.get("path", ""))) == relative(path) and "sql" in service:
            return _dump_of_sql(str(service["sql"]))
    raw = task.files.get(relative(path))
    return _dump_of_bytes(raw) if raw else None


@lru_cache(maxsize=256)
def _dump_of_sql(sql: str) -> str:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(sql)
        return "\n".join(connection.iterdump())


@lru_cache(maxsize=64)
def _dump_of_bytes(raw: bytes) -> str | None:
    with closing(sqlite3.connect(":memory:")) as connection:
        try:
            connection.deserialize(raw)
            return "\n".join(connection.iterdump())
        except sqlite3.DatabaseError:
            return None


def dump_after(databases: Mapping[str, Any], path: str) -> str | None:
    """The SQL dump that was taken after the run, or None."""
    return next((d for p, d in databases.items() if relative(p) == relative(path)), None)


def statements(dump: str, tables: Iterable[str] | None = None) -> list[str]:
    """The statements of a dump in order, those of the named tables where any are named."""
    lines = [line for line in dump.split(";\n") if line.strip().upper() not in _FRAME]
    if tables is not None:
        names = tuple(tables)
        heads = ((line, _HEAD.match(line.strip())) for line in lines)
        lines = [line for line, head in heads if head and (head[1] or head[2]) in names]
    return sorted(line.strip().rstrip(";") for line in lines)


_HEAD = re.compile(
    r"(?:INSERT INTO|CREATE TABLE(?: IF NOT EXISTS)?|DELETE FROM) +[\"'`\[]?(\w+)"
    r"|CREATE [^(]*? ON +[\"'`\[]?(\w+)",
    re.I,
)
_FRAME = ("BEGIN TRANSACTION", "COMMIT", "COMMIT;", "")
