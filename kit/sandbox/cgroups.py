"""One cgroup per slot caps memory and processes over the whole tree and counts what was used.

Works with cgroup v1 (a hierarchy for each controller) and v2. The slot's spawner lives in the
group, so that every box is born there: moving a process costs up to 15 ms. Only new memory is
charged to a group, so the spawner weighs next to nothing.
"""

import contextlib
import os
import re
from dataclasses import dataclass
from pathlib import Path

from kit.sandbox.base import Limits

PREFIX = "kit_"
OWN_TASKS = 3  # the spawner, bwrap outside and bwrap inside
SLACK = 8 << 20  # what may lie in a group between two runs before it is emptied
V1 = ("memory", "pids", "cpuacct")
HINT = "start it as root, or with: systemd-run --user --scope -p Delegate=yes"


@dataclass(frozen=True)
class Usage:
    """What a run took: bytes at its peak (None: unknown), seconds, kills for want of memory."""

    peak: int | None
    cpu_s: float
    oom_kills: int


def _mounts() -> dict[str, tuple[Path, str]]:
    """Controller (or "unified") -> (mount point, the part of the tree that is mounted there)."""
    found = {}
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        left, _, right = line.partition(" - ")
        kind, _, options = right.split(" ", 2)
        root, point = left.split(" ")[3:5]
        if kind == "cgroup2":
            found["unified"] = (Path(point), root)
        elif kind == "cgroup":
            for name in options.split(","):
                found[name] = (Path(point), root)
    return found


def _own() -> dict[str, str]:
    """Controller (or "unified") -> this process's path in that hierarchy."""
    found = {}
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, names, path = line.split(":", 2)
        for name in names.split(",") if names else ["unified"]:
            found[name] = path
    return found


def _here(name: str) -> Path | None:
    """The folder of this process's own group for a controller."""
    mounts, own = _mounts(), _own()
    if name not in mounts or name not in own:
        return None
    point, root = mounts[name]
    inner = own[name].removeprefix(root.rstrip("/")) if root != "/" else own[name]
    return point / inner.lstrip("/")


def parents() -> dict[str, Path]:
    """Controller -> the folder below which groups can be made; empty where there is none."""
    v1 = {name: _here(name) for name in V1}
    if v1["memory"] and v1["pids"]:
        return {n: p for n, p in v1.items() if p and os.access(p, os.W_OK)}
    own = _here("unified")
    for folder in [own, *own.parents] if own else []:
        with contextlib.suppress(OSError):
            enabled = (folder / "cgroup.subtree_control").read_text().split()
            if {"memory", "pids"} <= set(enabled) and os.access(folder, os.W_OK):
                return {"unified": folder}
    return {"unified": own} if own and _delegate(own) else {}


def _delegate(own: Path) -> bool:
    """Make room below our own group: only one without processes may share out its memory."""
    with contextlib.suppress(OSError):
        if (own / "cgroup.procs").read_text().split() != [str(os.getpid())]:
            return False
        leaf = own / f"{PREFIX}{os.getpid()}_self"
        leaf.mkdir()
        (leaf / "cgroup.procs").write_text(str(os.getpid()))
        (own / "cgroup.subtree_control").write_text("+memory +pids")
        return True
    return False


def sweep(folders: dict[str, Path]) -> None:
    """Remove the groups of kits that are dead."""
    for folder in folders.values():
        for group in folder.glob(PREFIX + "*"):
            pid = re.match(PREFIX + r"(\d+)_", group.name)
            if pid and not Path("/proc", pid[1]).exists():
                with contextlib.suppress(OSError):
                    group.rmdir()


class Group:
    """The cgroup of one slot."""

    def __init__(self, folders: dict[str, Path], name: str) -> None:
        self.unified = "unified" in folders
        self.paths = {key: folder / (PREFIX + name) for key, folder in folders.items()}
        for path in self.paths.values():
            path.mkdir()
        self.memory = self.paths["unified" if self.unified else "memory"]
        self.pids = self.paths["unified" if self.unified else "pids"]
        self.cpu = self.paths.get("unified" if self.unified else "cpuacct")
        self.limits: tuple[int, int] | None = None
        self.base = 0

    def adopt(self, pid: int) -> None:
        """Take a process in; its children will be born here."""
        for path in self.paths.values():
            (path / "cgroup.procs").write_text(str(pid))
        self.base = self._number("memory.current" if self.unified else "memory.usage_in_bytes")

    def _number(self, name: str) -> int:
        return int((self.memory / name).read_text())

    def _cap(self, limits: Limits) -> None:
        want = (limits.memory_mb << 20, limits.processes + OWN_TASKS)
        if want == self.limits:
            return
        size = want[0] + self.base
        names = ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes")
        if self.unified:
            (self.memory / "memory.max").write_text(str(size))
            names = ()
            with contextlib.suppress(FileNotFoundError):  # a kernel without swap accounting
                (self.memory / "memory.swap.max").write_text("0")
        elif self.limits and want[0] > self.limits[0]:
            names = names[::-1]
        for name in names:
            with contextlib.suppress(FileNotFoundError):
                (self.memory / name).write_text(str(size))
        (self.pids / "pids.max").write_text(str(want[1]))
        self.limits = want

    def begin(self, limits: Limits) -> None:
        """Before a run: caps set, counters noted."""
        self._cap(limits)
        if not self.unified:
            if self._number("memory.usage_in_bytes") > self.base + SLACK:
                (self.memory / "memory.force_empty").write_text("0")
            (self.memory / "memory.max_usage_in_bytes").write_text("0")
        self.before = self._read()

    def end(self) -> Usage:
        """After a run: what it took."""
        now = self._read()
        peak = now.peak
        if peak is not None:
            peak = max(0, peak - self.base)
        if self.unified and now.peak == self.before.peak:
            peak = None  # a lower peak than that of a run before: v2 keeps only the highest
        cpu_s = now.cpu_s - self.before.cpu_s
        return Usage(peak, cpu_s, now.oom_kills - self.before.oom_kills)

    def _read(self) -> Usage:
        peak: int | None = None
        with contextlib.suppress(FileNotFoundError):  # memory.peak: since Linux 5.19
            peak = self._number("memory.peak" if self.unified else "memory.max_usage_in_bytes")
        events = self.memory / ("memory.events" if self.unified else "memory.oom_control")
        kills = re.search(r"^oom_kill (\d+)", events.read_text(), re.M)
        return Usage(peak, self._cpu_s(), int(kills[1]) if kills else 0)

    def _cpu_s(self) -> float:
        if self.cpu is None:
            return 0.0
        if self.unified:
            return int((self.cpu / "cpu.stat").read_text().split()[1]) / 1e6
        return int((self.cpu / "cpuacct.usage").read_text()) / 1e9

    def remove(self) -> None:
        """Forget the group; one that still holds a dying process is left to the next sweep."""
        for path in self.paths.values():
            with contextlib.suppress(OSError):
                path.rmdir()
