"""One cgroup per worker caps memory and processes over the whole tree and counts what was used.

Works with cgroup v1 (a hierarchy for each controller) and v2. The worker's launcher lives in the
group, so that every box is born there: moving a process costs up to 15 ms. Only new memory is
charged to a group, so the launcher weighs next to nothing.
"""

import contextlib
import errno
import os
import re
import time
from dataclasses import dataclass, replace
from pathlib import Path

from kit.sandbox.base import Limits

PREFIX = "kit_"
SWEEP_S = 1.0
OWN_TASKS = 8  # two launchers, the watcher and its child, bwrap outside and inside, two to spare
SLACK = 8 << 20  # what may lie in a group between two runs before it is emptied
V1 = ("memory", "pids", "cpuacct")
V1_FILES = {
    "memory": (
        *("memory.limit_in_bytes", "memory.memsw.limit_in_bytes", "memory.usage_in_bytes"),
        *("memory.max_usage_in_bytes", "memory.oom_control", "memory.force_empty"),
        # what lies in sockets, of UDP too; v2 counts it with the rest
        *("memory.kmem.tcp.limit_in_bytes", "memory.kmem.tcp.max_usage_in_bytes"),
    ),
    "pids": ("pids.max",),
    "cpuacct": ("cpuacct.usage",),
    "pressure": ("cpu.pressure",),  # of the v2 tree beside, which has no controller
}
V2_FILES = {
    "unified": (
        *("memory.max", "memory.swap.max", "memory.current", "memory.peak", "memory.events"),
        *("pids.max", "cpu.stat", "cpu.pressure"),
    )
}
READ_ONLY = (
    "memory.usage_in_bytes",
    "memory.current",
    "memory.peak",
    "memory.events",
    "cpu.stat",
    "cpu.pressure",
)
HINT = "start it as root, or with: systemd-run --user --scope -p Delegate=yes"


@dataclass(frozen=True)
class Usage:
    """What a run used: bytes at its peak (None: unknown), seconds, kills for lack of memory.

    waited_s: how long some of its processes could have run and none had a CPU.
    """

    peak: int | None
    cpu_s: float
    oom_kills: int
    waited_s: float


def _own_groups() -> dict[str, Path]:
    """Controller (or "unified") -> the folder of this process's own group."""
    groups: dict[str, str] = {}
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        groups |= dict.fromkeys(controllers.split(",") if controllers else ["unified"], path)
    folders = {}
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        left, _, right = line.partition(" - ")
        kind, _, options = right.split(" ", 2)
        root, point = left.split(" ")[3:5]  # the part of the tree that is mounted, and where
        names = {"cgroup": options.split(","), "cgroup2": ["unified"]}.get(kind, [])
        for name in groups.keys() & names:
            folders[name] = Path(point, groups[name].removeprefix(root.rstrip("/")).lstrip("/"))
    return folders


def find_parents() -> dict[str, Path]:
    """Controller -> the folder below which groups can be made; empty without one."""
    groups = _own_groups()
    own = groups.get("unified")
    if groups.keys() >= {"memory", "pids"}:
        v1 = {name: groups[name] for name in V1 if name in groups}
        if own and (own / "cpu.pressure").exists():
            v1["pressure"] = own
        return {n: p for n, p in v1.items() if os.access(p, os.W_OK)}
    for folder in [own, *own.parents] if own else []:
        with contextlib.suppress(OSError):
            enabled = (folder / "cgroup.subtree_control").read_text().split()
            if {"memory", "pids"} <= set(enabled) and os.access(folder, os.W_OK):
                return {"unified": folder}
    return {"unified": own} if own and _delegate_controllers(own) else {}


def _delegate_controllers(own: Path) -> bool:
    """Move our own process down a level: only a group without processes may divide its memory."""
    with contextlib.suppress(OSError):
        if (own / "cgroup.procs").read_text().split() != [str(os.getpid())]:
            return False
        leaf = own / f"{PREFIX}{os.getpid()}_self"
        leaf.mkdir()
        (leaf / "cgroup.procs").write_text(str(os.getpid()))
        (own / "cgroup.subtree_control").write_text("+memory +pids")
        return True
    return False


def remove_dead_groups(folders: dict[str, Path]) -> None:
    """Remove the groups of kits that are dead; their last processes get a second to die."""
    until = time.monotonic() + SWEEP_S
    for folder in folders.values():
        for group in folder.glob(PREFIX + "*"):
            pid = re.match(PREFIX + r"(\d+)_", group.name)
            if pid and not Path("/proc", pid[1]).exists():
                _remove_group(group, until)


def _remove_group(group: Path, until: float) -> None:
    """rmdir as soon as the group is empty; one that does not empty is left to the next sweep."""
    while True:
        try:
            group.rmdir()
        except OSError as error:
            if error.errno == errno.EBUSY and time.monotonic() < until:
                time.sleep(0.02)
                continue
        return


class Cgroup:
    """The cgroup of one worker. Its files stay open, since every run reads and writes them."""

    def __init__(self, folders: dict[str, Path], name: str) -> None:
        self.unified = "unified" in folders
        self.paths = {key: folder / (PREFIX + name) for key, folder in folders.items()}
        for path in self.paths.values():
            path.mkdir()
        self.files: dict[str, int] = {}
        for key, names in (V2_FILES if self.unified else V1_FILES).items():
            for file in names if key in self.paths else ():
                with contextlib.suppress(OSError):  # read-only files, and what older kernels lack
                    mode = os.O_RDONLY if file in READ_ONLY else os.O_RDWR
                    self.files[file] = os.open(self.paths[key] / file, mode | os.O_CLOEXEC)
        self.limits: tuple[int, int] | None = None
        self.base: int | None = None
        self.before = self._read()

    def add_process(self, pid: int) -> None:
        """Take a process in; its children will be born here."""
        for path in self.paths.values():
            (path / "cgroup.procs").write_text(str(pid))
        if self.base is None:  # later the group holds what runs left behind, which may go again
            now = "memory.current" if self.unified else "memory.usage_in_bytes"
            self.base = self._read_number(now)

    def add_watcher(self, pid: int) -> None:
        """Count the watcher's waiting too, for the program waits with it; and its memory, for it
        makes the files that the program asks for."""
        for key in ("pressure", "memory", "unified"):
            if key in self.paths:
                (self.paths[key] / "cgroup.procs").write_text(str(pid))

    def _read_file(self, name: str) -> str:
        return os.pread(self.files[name], 4096, 0).decode()

    def _read_number(self, name: str) -> int:
        return int(self._read_file(name))

    def _write_number(self, name: str, value: int) -> None:
        if name in self.files:
            os.pwrite(self.files[name], str(value).encode(), 0)

    def _set_caps(self, limits: Limits) -> None:
        want = (limits.memory_mb << 20, limits.processes + OWN_TASKS)
        if want == self.limits:
            return
        names = ["memory.limit_in_bytes", "memory.memsw.limit_in_bytes", "memory.max"]
        if self.limits and want[0] > self.limits[0]:
            names.reverse()  # memory with swap can never be below memory alone
        for name in names:
            self._write_number(name, want[0] + (self.base or 0))
        self._write_number("memory.kmem.tcp.limit_in_bytes", want[0])
        self._write_number("memory.swap.max", 0)
        self._write_number("pids.max", want[1])
        self.limits = want

    def begin(self, limits: Limits) -> None:
        """Before a run: caps set, counters noted."""
        self._set_caps(limits)
        if not self.unified:
            if self._read_number("memory.usage_in_bytes") > (self.base or 0) + SLACK:
                self._write_number("memory.force_empty", 0)
            self._write_number("memory.max_usage_in_bytes", 0)
            self._write_number("memory.kmem.tcp.max_usage_in_bytes", 0)
        self.before = self._read()

    def oom(self) -> bool:
        """Whether the kernel has killed for memory since the run began."""
        return self._count_kills() > self.before.oom_kills

    def usage(self) -> Usage:
        """What the run has used since it began."""
        now, before = self._read(), self.before
        peak = None if now.peak is None else max(0, now.peak - (self.base or 0))
        if self.unified and now.peak == before.peak:
            peak = None  # v2 keeps the highest of all runs; this one stayed below it
        kills = now.oom_kills - before.oom_kills
        return Usage(peak, now.cpu_s - before.cpu_s, kills, now.waited_s - before.waited_s)

    def end(self, _cpu_s: float, peak_mb: float) -> Usage:
        """What the run used. peak_mb: of the largest process, where the group knows none."""
        usage = self.usage()
        peak = int(peak_mb * 2**20) if usage.peak is None else usage.peak
        return replace(usage, peak=peak)

    def _read(self) -> Usage:
        name = "memory.peak" if self.unified else "memory.max_usage_in_bytes"
        peak = self._read_number(name) if name in self.files else None
        if peak is not None and "memory.kmem.tcp.max_usage_in_bytes" in self.files:
            peak += self._read_number("memory.kmem.tcp.max_usage_in_bytes")
        cpu_s = 0.0
        if "cpu.stat" in self.files:
            cpu_s = int(self._read_file("cpu.stat").split()[1]) / 1e6
        elif "cpuacct.usage" in self.files:
            cpu_s = self._read_number("cpuacct.usage") / 1e9
        return Usage(peak, cpu_s, self._count_kills(), self._read_cpu_wait())

    def _read_cpu_wait(self) -> float:
        if "cpu.pressure" not in self.files:
            return 0.0
        # `full`: one process that waits for another is no loss
        return int(self._read_file("cpu.pressure").rpartition("total=")[2]) / 1e6

    def own_time(self) -> float:
        """The monotonic clock, less what the run has waited for a CPU since it began."""
        return time.monotonic() - (self._read_cpu_wait() - self.before.waited_s)

    def _count_kills(self) -> int:
        events = self._read_file("memory.events" if self.unified else "memory.oom_control")
        return int(events.rpartition("oom_kill ")[2].split()[0])

    def remove(self) -> None:
        """Forget the group; one that still holds a dying process is left to the next sweep."""
        while self.files:
            os.close(self.files.popitem()[1])
        until = time.monotonic() + SWEEP_S
        for path in self.paths.values():
            _remove_group(path, until)
