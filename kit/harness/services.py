"""Services of a task: made before a run; databases dumped after it, in a box of their own."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Any

from kit.harness import box_files, channel, database
from kit.harness.service_setup import FIRST_UID
from kit.records import Evidence, Status, Task, Test
from kit.sandbox.base import Sandbox

_MAGIC = b"SQLite format 3\0"
_SIDE_FILES = ("-wal", "-shm", "-journal")
SETUP = "kit_setup.py"
_NEEDS_SETUP = ("http", "ftp", "file", "directory")
_SERVERS = ("http", "ftp")
_NO_TLS = ("https", "ftps")
KEPT_BYTES = 32 << 10  # of a database; the dumps of larger ones are made again each time


@dataclass(frozen=True)
class Around:
    """What a run of a task needs beside its files: a command in front, options of the sandbox."""

    before: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)


def lacking(box: Sandbox, task: Task) -> str:
    """The sentence about a service that cannot be had here, or ""."""
    kinds = [str(s["type"]) for s in task.services]
    if secured := [k for k in kinds if k in _NO_TLS]:
        return f"The task needs a service of type {secured[0]!r}, which is not available."
    beyond = [k for k in kinds if k in (*_SERVERS, "user")]
    if beyond and not {"hosts", "users"} <= box.gives:
        return f"A service of type {beyond[0]!r} can be had in the bwrap sandbox as root only."
    return ""


def around(task: Task) -> Around:
    """Servers and files are made in the box, before the program; names and users with the box."""
    hosts = {s["host"]: s["address"] for s in task.services if s["type"] in _SERVERS}
    named = {h: a for h, a in hosts.items() if h not in (a, "localhost")}
    users = [s for s in task.services if s["type"] == "user"]
    options: dict[str, Any] = {}
    if hosts:
        options["hosts"] = named or {"localhost": "127.0.0.1"}
    if users:
        options["users"] = {s["name"]: s.get("uid", FIRST_UID + i) for i, s in enumerate(users)}
    return Around(tuple(box_files.argv(SETUP)) if _made(task) else (), options)


def _made(task: Task) -> list[Mapping[str, Any]]:
    return [s for s in task.services if s["type"] in _NEEDS_SETUP]


def files(task: Task) -> dict[str, bytes]:
    """The fixtures of a task with its databases, as they are at the start of every test."""
    built = {s["path"]: database.build(s["sql"]) for s in task.services if s["type"] == "sqlite"}
    ours = {}
    if made := _made(task):
        ours[f"{box_files.FOLDER}/{SETUP}"] = box_files.source(SETUP)
        ours[f"{box_files.FOLDER}/setup.json"] = json.dumps(made).encode()
    return {**task.files, **built, **ours}


def dumps(box: Sandbox, task: Task, test: Test, evidence: Evidence) -> dict[str, str]:
    """SQL dumps after the run: of every database that changed, and of those a probe asks about.

    For a path that a database_unchanged probe names, "before:<path>" holds the dump before the run.
    A database that was deleted is an empty text.
    """
    before = files(task)
    asked = set(_asked(test.probes, "database_"))
    known = {p for p, data in before.items() if data.startswith(_MAGIC)}
    known |= {s["path"] for s in task.services if s["type"] == "sqlite"}
    states = {
        path: _state(path, before, evidence)
        for path in sorted(known | asked)
        if path in asked or _touched(path, evidence)
    }
    for path in sorted(set(_asked(test.probes, "database_unchanged")) & set(before)):
        states[f"before:{path}"] = ((path, before[path]),)
    found = {name: _dump(box, name.removeprefix("before:"), s) for name, s in states.items()}
    return {name: text for name, text in found.items() if text is not None}


def _asked(probes: Any, prefix: str) -> Iterator[str]:
    """Paths of the probes whose name begins with `prefix`, nested ones too."""
    for probe in probes:
        if str(probe["probe"]).startswith(prefix):
            yield PurePosixPath(probe["path"].removeprefix("/box/")).as_posix()
        inner = probe.get("of", ())
        yield from _asked([inner] if isinstance(inner, Mapping) else inner, prefix)


def _touched(path: str, evidence: Evidence) -> bool:
    changed = any(path + side in evidence.files for side in ("", *_SIDE_FILES))
    return changed or _deleted(path, evidence)


def _deleted(path: str, evidence: Evidence) -> bool:
    gone = any(
        e.kind in ("delete", "rename") and e.result >= 0 and e.target == f"/box/{path}"
        for e in evidence.events
    )
    return gone and path not in evidence.files


def _state(
    path: str, before: Mapping[str, bytes], evidence: Evidence
) -> tuple[tuple[str, bytes], ...]:
    """The database's files after the run, side files included; none if it is gone."""
    if _deleted(path, evidence):
        return ()
    names = [path + side for side in ("", *_SIDE_FILES)]
    now = {n: evidence.files.get(n, before.get(n)) for n in names}
    return tuple((n, data) for n, data in now.items() if data is not None)


def _dump(box: Sandbox, path: str, state: tuple[tuple[str, bytes], ...]) -> str | None:
    """The dump; "" where the database is gone, None where our own box failed."""
    if path not in dict(state):
        return ""
    small = sum(len(data) for _, data in state) <= KEPT_BYTES
    try:
        return (_kept if small else _dumped)(box_files.Key(box), path, state)
    except box_files.BoxFailed:
        return None


def _dumped(key: box_files.Key, path: str, state: tuple[tuple[str, bytes], ...]) -> str:
    """The dump, made by a fresh box, for the bytes were written by a candidate."""
    placed = {**dict(state), **box_files.job("kit_dump.py", {"paths": [path]})}
    evidence = key.box.run(box_files.argv("kit_dump.py"), files=placed, observe=False)
    if evidence.status is Status.INFRA_ERROR:
        raise box_files.BoxFailed(evidence.note)
    answer = channel.read(evidence.channel).part("dumps")
    return str(answer.get(path, f"-- not readable: the dump ended with {evidence.status}"))


_kept = lru_cache(maxsize=128)(_dumped)  # a few MB at most
