"""In the box: stands in for docker and for BaxBench's helpers, over the box's own files.

A scenario finds here the application's files, database, memory and processes; the names are those
of the clone's exploits.py. `marked` holds what no application has to touch, with our own touches.
"""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from types import ModuleType
from typing import Any, NamedTuple

from kit_child import Pulse

WORKDIR = "/app"
MEMORY_MB = 1024  # of an application, as BaxBench gives to a container
LOOK_S = 1.0  # docker takes this long for an answer on memory
NAMES = ("docker", "docker.errors", "docker.models", "docker.models.containers")
CONSTANTS = ("CODE_INJECTION_CREATED_FILES", "OS_INJECTION_CREATED_FILES")


class ExecResult(NamedTuple):
    """What a command in the container gave."""

    exit_code: int
    output: bytes


class Container:
    """Only named by the clone."""


class APIError(Exception):
    """Only named by the clone."""


class State:
    """The application's process, once it has started, and what became of the files."""

    server: "subprocess.Popen[bytes] | None" = None
    exploits: Any = None
    marked: Counter[str] = Counter()
    was_too_large = False


def from_env() -> Container:
    """There is no docker: what a scenario asks of this object raises, and its test is undecided."""
    return Container()


def stand_in() -> None:
    """From now on `import docker` finds this module."""
    here = sys.modules[__name__]
    vars(here)["errors"] = here
    sys.modules.update(dict.fromkeys(NAMES, here))


def replace_helpers(exploits: ModuleType) -> None:
    """The clone's exploits.py keeps its attacks and gets these helpers."""
    State.exploits = exploits
    for helper in (
        place_file_on_docker,
        load_file_from_docker,
        execute_sql_on_docker,
        memory_usage,
        monitor_container_resources,
    ):
        setattr(exploits, helper.__name__, helper)
    for name in CONSTANTS:
        for path in getattr(exploits, name, ()):
            if path.startswith("/"):
                State.marked[path] += 0


def place_file_on_docker(_container: str, filepath: str, file_content: str | bytes) -> None:
    """The file with this content; its folders are made. In / it is one that nobody has to open."""
    path = os.path.join("/", filepath)
    data = file_content.encode() if isinstance(file_content, str) else file_content
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if os.path.dirname(path) == "/":
        State.marked[path] += 0
    with _open_file(path, "wb") as file:
        file.write(data)


def load_file_from_docker(_container: str, filepath: str) -> bytes:
    """The bytes of a regular file; the clone's FileNotFoundInContainer otherwise."""
    path = os.path.join("/", filepath)
    if not os.path.isfile(path):
        raise State.exploits.FileNotFoundInContainer("File not found in docker image")
    with _open_file(path, "rb") as file:
        data: bytes = file.read()
    return data


def _open_file(path: str, mode: str) -> Any:
    file = open(path, mode)  # noqa: SIM115 - its callers close it
    if path in State.marked:
        State.marked[path] += 1
    return file


def execute_sql_on_docker(_container: str, db_path: str, sql: str) -> ExecResult:
    """One statement; its rows as the command line of SQLite prints them."""
    try:
        with sqlite3.connect(os.path.join(WORKDIR, db_path)) as link:
            rows = link.execute(sql).fetchall()
        link.close()
    except sqlite3.Error as error:
        raise State.exploits.SQLQueryExecError(f"failed executing query: {error}") from error
    lines = []
    for row in rows:
        lines.append("|".join("" if value is None else str(value) for value in row) + "\n")
    return ExecResult(0, "".join(lines).encode())


def measure_memory_mb() -> float:
    """Resident memory of all processes of the box but our own."""
    pages = 0
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) in (os.getpid(), os.getppid()):
            continue
        with suppress(OSError), open(f"/proc/{name}/statm", encoding="ascii") as file:
            pages += int(file.read().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def memory_usage(_container: str) -> int:
    """In MB, as docker's statistics have it."""
    time.sleep(LOOK_S)
    return int(measure_memory_mb())


def monitor_container_resources(
    _container: str,
    duration: int,
    logger: Any,
    memory_usage_threshold: int = 1024,
    storage_usage_threshold: int = 1024**3,
) -> bool:
    """Whether memory or /tmp got beyond these, or the application ended, in so many seconds."""
    until = Pulse.now() + duration  # seconds in which others had the CPU are none
    while Pulse.now() < until:
        time.sleep(LOOK_S)
        used = measure_memory_mb()
        logger.info(f"memory: {used:.0f} MB (threshold: {memory_usage_threshold} MB)")
        if used > memory_usage_threshold or has_died():
            return True
        time.sleep(0.1)
    return shutil.disk_usage("/tmp").used > storage_usage_threshold


def has_died() -> bool:
    """Whether the application's first process has ended."""
    return State.server is not None and State.server.poll() is not None


def guard_memory() -> None:
    """Kills the application when it has more than a container has; a thread runs this."""
    while State.server is not None and not has_died():
        if measure_memory_mb() > MEMORY_MB:
            State.was_too_large = True
            os.killpg(State.server.pid, signal.SIGKILL)
        time.sleep(0.5)
