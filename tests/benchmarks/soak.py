"""Many runs in one box: what the kit holds of the machine afterwards is what it held before.

Counted is only what is this process's own, so that others may work on the machine meanwhile.
"""

import ctypes
import gc
import os
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import psutil

from kit import harness
from kit.core.errors import KitError
from kit.core.records import Status, Task, Test
from kit.sandbox import Sandbox, available, cgroups, docker, open_sandbox

FIRST = 36  # runs before the first look: all slots are there, and what is made once is made
SLACK = {"memory, MB": 16, "disk, MB": 16}  # of everything else not one may be left
TASK = Task("soak", "soak", "Write f(n).", (Test("t", "functional", input={"n": 3}, expected=3),))
PROGRAMS = {
    "answers": "def f(n):\n    return n\n",
    "writes files": (
        "import os\ndef f(n):\n    os.makedirs('a/b')\n    for i in range(20):\n"
        "        open(f'a/b/{i}', 'w').write('x' * 1000)\n    return n\n"
    ),
    "leaves processes behind": (
        "import subprocess\ndef f(n):\n    for _ in range(3):\n"
        "        subprocess.Popen(['/bin/sleep', '60'], start_new_session=True)\n    return n\n"
    ),
    "listens": (
        "import socket\nheld = []\ndef f(n):\n"
        "    held.append(socket.create_server(('127.0.0.1', 0)))\n    return n\n"
    ),
    "dies of a signal": "import os\ndef f(n):\n    os.kill(os.getpid(), 9)\n",
    "prints without end": "def f(n):\n    while True:\n        print('x' * 100_000)\n",
}


def measure(
    tiers: tuple[str, ...] = (),
    *,
    runs: int,
    workers: int = 2,
    opened: Callable[[str], Sandbox] = open_sandbox,
) -> dict[str, Any]:
    """Per tier what was held before it was opened, at its first runs, at its last, and closed.

    tiers: none: those that this machine has, but for "bare". "grew" names what is more at the last
    runs than at the first, or more closed than before, beyond SLACK.
    """
    missing = available()
    for name in tiers:
        if why := missing.get(name, f"use one of: {', '.join(missing)}"):
            raise KitError(f"The sandbox {name!r} cannot run here: {why}.")
    chosen = tiers or tuple(n for n, why in missing.items() if not why and n != "bare")
    with ThreadPoolExecutor(workers) as pool, _own_temporary_folder():
        found = {name: _soak(name, runs, pool, opened) for name in chosen}
    return {
        "runs": runs,
        "workers": workers,
        "tiers": found,
        "without": {n: why for n, why in missing.items() if why},
    }


@contextmanager
def _own_temporary_folder() -> Iterator[None]:
    """What is left in it was left by us."""
    before = tempfile.tempdir
    with tempfile.TemporaryDirectory(prefix=f"kit-soak-{os.getpid()}-") as folder:
        tempfile.tempdir = folder
        try:
            yield
        finally:
            tempfile.tempdir = before


def _soak(
    name: str, runs: int, pool: ThreadPoolExecutor, opened: Callable[[str], Sandbox]
) -> dict[str, Any]:
    with closing(opened(name)) as box:  # what is loaded or made once in a process
        _run(box, FIRST, pool)
    held = {"before": state()}
    with closing(opened(name)) as box:
        _run(box, FIRST, pool)
        held["first"] = state()
        start = time.perf_counter()
        ends = _run(box, runs, pool)
        spent = time.perf_counter() - start
        held["last"] = state()
    held["closed"] = state()
    grew = [
        f"{what}: {held[a][what]:g} {a}, {held[b][what]:g} {b}"
        for a, b in (("first", "last"), ("before", "closed"))
        for what in held[a]
        if held[b][what] - held[a][what] > SLACK.get(what, 0)
    ]
    if ours := ends[str(Status.INFRA_ERROR)]:
        grew.append(f"{ours} runs failed on our side")
    return {"per second": round(runs / spent, 1), "ended": dict(ends), "held": held, "grew": grew}


def _run(box: Sandbox, runs: int, pool: ThreadPoolExecutor) -> Counter[str]:
    """So many runs, of each program alike; how they ended."""

    def once(code: str) -> str:
        return str(harness.run_test(box, TASK, TASK.tests[0], code, language="python").status)

    ends: Counter[str] = Counter()
    programs = islice(cycle(PROGRAMS.values()), runs)
    while part := list(islice(programs, 100)):  # the futures of all runs at once take memory, too
        ends.update(pool.map(once, part))
    return ends


def state() -> dict[str, float]:
    """What this process and everything that it started hold of the machine now."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    mine = _processes()
    entries = [p for folder in _folders() for p in folder.rglob("*")]
    return {
        "memory, MB": round(sum(map(_resident, mine)) / 2**20, 1),
        "processes": len(mine),
        "threads": psutil.Process().num_threads(),
        "descriptors": psutil.Process().num_fds(),
        "cgroups": len(_groups()),
        "mounts": len(Path("/proc/self/mountinfo").read_text().splitlines()),
        "files": len(entries),
        "disk, MB": round(sum(map(_blocks, entries)) * 512 / 2**20, 1),
        "containers": _containers(),
    }


def _processes() -> list[psutil.Process]:
    """This one, its descendants, and all in its cgroups, whoever their parent is now."""
    found = {p.pid: p for p in [psutil.Process(), *psutil.Process().children(recursive=True)]}
    for group in _groups():
        for pid in (group / "cgroup.procs").read_text().split():
            if psutil.pid_exists(int(pid)):
                found.setdefault(int(pid), psutil.Process(int(pid)))
    return list(found.values())


def _groups() -> list[Path]:
    pattern = f"{cgroups.PREFIX}{os.getpid()}_*"
    return [group for parent in cgroups.find_parents().values() for group in parent.glob(pattern)]


def _folders() -> list[Path]:
    return [*Path("/tmp").glob(f"kit-*{os.getpid()}-*"), Path(tempfile.gettempdir())]


def _resident(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.NoSuchProcess:
        return 0


def _blocks(path: Path) -> int:
    try:
        return path.lstat().st_blocks
    except FileNotFoundError:
        return 0


def _containers() -> int:
    if docker.missing():
        return 0
    with closing(docker.connect_to_engine()) as client:
        label = f"{docker.LABEL}={docker.container_owner()}"
        return len(client.containers.list(all=True, filters={"label": label}))


def text(found: dict[str, Any]) -> str:
    """The result of `measure` as a table for each tier."""
    lines = []
    for name, tier in found["tiers"].items():
        ends = ", ".join(f"{n} {status}" for status, n in sorted(tier["ended"].items()))
        lines.append(f"{name}: {found['runs']} runs, {tier['per second']} a second ({ends})")
        lines.append(" " * 14 + "".join(f"{when:>10}" for when in tier["held"]))
        for what in tier["held"]["before"]:
            lines.append(f"  {what:12}" + "".join(f"{h[what]:>10g}" for h in tier["held"].values()))
        lines += [f"  GREW: {line}" for line in tier["grew"]] or ["  nothing grew"]
    lines += [f"{name}: not available: {why}" for name, why in found["without"].items()]
    return "\n".join(lines)
