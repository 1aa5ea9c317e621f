"""Stands in for a cgroup where none can be made: looks at a box's processes from outside.

No limit of setrlimit could: it holds one process, not their sum, and sanitizers reserve far more
than they use. Unseen stays what no process has mapped: files of memfd_create, buffers of pipes and
sockets. Between two looks a program may take some hundred MB more.
"""

import os
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from kit.sandbox import process
from kit.sandbox.base import Limits
from kit.sandbox.cgroups import Usage

SHARE = 10  # a look takes at most one part in so many of the time
_OWN = re.compile(r"^Rss(?:Anon|Shmem):\s+(\d+)", re.M)
_FILES = re.compile(r"^RssFile:\s+(\d+)", re.M)
_DIVIDED = re.compile(r"^Pss_(?:Anon|Shmem):\s+(\d+)", re.M)  # what several share counts once


class Watch:
    """What one box uses; see cgroups.Group for the words. `box`: a descriptor of its /box."""

    def __init__(self, init: int, box: int) -> None:
        self.init, self.folders = init, (box, f"/proc/{init}/root/tmp")
        self.placed = self.limit = self.peak = self.mapped = 0
        self.cpu_s = self.waited_s = self.next = 0.0

    def begin(self, limits: Limits) -> None:
        """Before a run: what lies in the box already is not the program's."""
        self.limit, self.placed = limits.memory_mb << 20, self._size_of_files()

    def oom(self) -> bool:
        """Whether more memory than allowed was seen."""
        start = time.monotonic()
        if start >= self.next:
            self._sample_usage()
            self.next = start + SHARE * (time.monotonic() - start)
        return self.peak > self.limit

    def usage(self) -> Usage:
        """What was seen until now; CPU of the living processes only."""
        self._sample_usage()
        return Usage(self.peak, self.cpu_s, self.peak > self.limit, self.waited_s)

    def end(self, cpu_s: float, peak_mb: float) -> Usage:
        """What the run used. A short burst was not seen, but the kernel knows each one's peak."""
        peak = max(self.peak, (int(peak_mb * 1024) << 10) - self.mapped)
        return Usage(peak, max(cpu_s, self.cpu_s), peak > self.limit, self.waited_s)

    def _sample_usage(self) -> None:
        pids = self._list_processes()
        texts = list(_read_process_files(pids, "status"))
        self.mapped = max(self.mapped, *(_sum_bytes(_FILES, text) for text in texts), 0)
        files = self._size_of_files() - self.placed
        memory = files + sum(_sum_bytes(_OWN, text) for text in texts)
        if memory > self.limit:
            memory = files + sum(
                _sum_bytes(_DIVIDED, text) for text in _read_process_files(pids, "smaps_rollup")
            )
        self.peak = max(self.peak, memory)
        cpu_s, waited_s = process.measure_cpu_use(Path("/proc", pid) for pid in pids)
        self.cpu_s, self.waited_s = max(self.cpu_s, cpu_s), max(self.waited_s, waited_s)

    def _size_of_files(self) -> int:
        """Bytes in the box's file systems, which are memory."""
        total = 0
        for folder in self.folders:
            with suppress(OSError):  # the box has ended
                state = os.statvfs(folder)
                total += (state.f_blocks - state.f_bfree) * state.f_frsize
        return total

    def _list_processes(self) -> list[str]:
        pids = [str(self.init)]
        for pid in pids:  # which grows
            with suppress(OSError):
                for thread in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208 - fifty times a second
                    pids += Path(f"/proc/{pid}/task/{thread}/children").read_text().split()
        return pids


def _read_process_files(pids: list[str], name: str) -> Iterator[str]:
    for pid in pids:
        with suppress(OSError):  # it has ended
            yield Path("/proc", pid, name).read_text()


def _sum_bytes(pattern: re.Pattern[str], text: str) -> int:
    return sum(map(int, pattern.findall(text))) << 10
