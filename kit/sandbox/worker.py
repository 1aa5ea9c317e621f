"""A worker serves one run at a time: own uid, CPU, cgroup, and a launcher that starts its boxes."""

import contextlib
import ctypes
import os
import select
import socket
import struct
import subprocess
import weakref
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from kit.errors import KitError
from kit.sandbox import cgroups, watcher
from kit.sandbox.base import Broken
from kit.sandbox.events import Record
from kit.sandbox.syscalls import SHAPES, filter_program

PYTHON = "/usr/bin/python3"
FIRST_UID = 61000
START_S = 10.0
LIBC = ctypes.CDLL(None)
TRACE_KEPT = 4 << 20  # what was read of a trace is given back to the disk above this size


class Launcher:
    """The small process that starts boxes; see kit/sandbox/launcher.py. Where `programs` are given
    its parent is native/watch.c, which writes what they do to `trace`."""

    _at_work: "weakref.WeakSet[Launcher]" = weakref.WeakSet()

    def __init__(
        self,
        *,
        uid: int | None,
        trace: Path,
        ptrace: bool,
        programs: watcher.Programs | None,
    ) -> None:
        self.programs, self.offset = programs, 0
        file = trace if programs else os.devnull  # a second one would cut off what the first wrote
        self.file = os.open(file, os.O_RDWR | os.O_TRUNC | os.O_CLOEXEC)
        self.link, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.filter = os.memfd_create("seccomp", os.MFD_CLOEXEC)
        os.write(self.filter, filter_program(ptrace=ptrace, notify=programs is not None))
        source = Path(__file__).with_name("launcher.py").read_text()
        argv = [PYTHON, "-I", "-S", "-c", source, str(theirs.fileno())]
        pass_fds = [theirs.fileno()]
        self.control, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        if programs:
            watch = f"/proc/self/fd/{programs.watch}"
            argv = [watch, str(far.fileno()), str(self.file), SHAPES, *argv]
            pass_fds += [programs.watch, far.fileno(), self.file]
        with theirs, far:
            self.process = subprocess.Popen(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={},
                cwd="/",
                pass_fds=pass_fds,
                user=uid,
                group=uid,
                extra_groups=None if uid is None else [],
            )
        (self.pid,) = struct.unpack("=i", self._receive(self.link, START_S))
        self.cpu = -1
        if uid is not None and self._host_uids() != {uid}:
            raise KitError(f"The launcher kept the user ids {self._host_uids()} instead of {uid}.")

    def _host_uids(self) -> set[int]:
        """Real, effective, saved and file-system uid of the launcher, as the host counts."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        return {int(n) for n in status.partition("Uid:")[2].split("\n")[0].split()}

    def _receive(self, link: socket.socket, seconds: float) -> bytes:
        ready = select.select([link], [], [], seconds)[0]
        data = link.recv(64) if ready else b""
        if not data:
            raise Broken(f"the {'launcher' if link is self.link else 'watcher'} did not answer")
        return data

    def send(self, argv: list[str], fds: list[int]) -> None:
        """Start a box; `fds` become its descriptors 0, 1, 2, ..., and the gate is the last."""
        status = os.fstat(self.file)
        self.offset = status.st_size
        if status.st_blocks * 512 > TRACE_KEPT:
            os.ftruncate(self.file, 0)
        os.lseek(self.filter, 0, os.SEEK_SET)
        self._settle()
        self._ask("\0".join(argv), fds)

    def watch(self, init: int, link: socket.socket) -> None:
        """From now on the box is watched, and its first program may begin."""
        try:
            socket.send_fds(self.control, [struct.pack("=i", init)], [link.fileno()])
        except OSError as error:
            raise Broken(f"the watcher took no request: {error.strerror}") from None

    def _settle(self) -> None:
        """Watcher and watched share one CPU: each call told is a hand-over and back, and between
        two CPUs it takes five times as long. The CPU is the one on which this thread runs now,
        which the kernel chose, unless another run of this kit has it and a freer one is left.
        """
        taken = Counter(launcher.cpu for launcher in list(self._at_work))
        here = LIBC.sched_getcpu()
        cpu = min(os.sched_getaffinity(0), key=lambda c: (taken[c], c != here))
        self._at_work.add(self)
        if cpu != self.cpu:
            self.cpu = cpu
            for pid in {self.pid, self.process.pid}:
                os.sched_setaffinity(pid, {cpu})

    def release(self, init: int, limits: dict[int, tuple[int, int]]) -> None:
        """Let the waiting box run, under these limits of setrlimit."""
        words = [init, *(n for kind, pair in limits.items() for n in (kind, *pair))]
        self._ask("\0".join(map(str, words)), [])

    def _ask(self, text: str, fds: list[int]) -> None:
        try:
            socket.send_fds(self.link, [os.fsencode(text)], fds)
        except OSError as error:
            raise Broken(f"the launcher took no request: {error.strerror}") from None

    def ended(self, seconds: float) -> tuple[float, float]:
        """The answer to `send`, once the box is gone: CPU seconds and peak in MB of bwrap and its
        children, as far as wait4 tells."""
        cpu_s, peak_mb = struct.unpack("=dd", self._receive(self.link, seconds))
        if self.programs and any(self._receive(self.control, seconds)):
            raise Broken("the watcher of the box failed")
        self._at_work.discard(self)
        return cpu_s, peak_mb

    def written(self) -> int:
        """Bytes of trace since the box was started."""
        return os.fstat(self.file).st_size - self.offset

    def records(self, most: int) -> tuple[str, Iterable[tuple[str, Record]]] | None:
        """What the box that was started last did, from so many bytes of its trace; None where
        nobody watched."""
        if not self.programs:
            return None
        text = os.pread(self.file, most, self.offset).decode(errors="backslashreplace")
        return watcher.records(text)

    def close(self) -> None:
        self._at_work.discard(self)
        self.link.close()
        self.control.close()
        os.close(self.filter)
        os.close(self.file)
        try:
            self.process.wait(2)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Worker:
    """What one run at a time uses."""

    def __init__(
        self,
        index: int,
        folder: Path,
        groups: dict[str, Path],
        *,
        ptrace: bool,
        programs: watcher.Programs | None,
    ) -> None:
        self.ptrace, self.programs = ptrace, programs
        self.uid = FIRST_UID + index if os.geteuid() == 0 else None
        self.trace = folder / f"trace-{index}"
        self.trace.touch(0o600)
        if self.uid is not None:
            os.chown(self.trace, self.uid, self.uid)
        name = f"{os.getpid()}_{folder.name[-4:]}_{index}"
        self.group = cgroups.Group(groups, name) if groups else None
        self.launchers: dict[bool, Launcher] = {}

    @property
    def isolation(self) -> str:
        """The tier, with what is missing of it."""
        lacks = ["own uid"] * (self.uid is None) + ["no cgroup"] * (self.group is None)
        lacks += ["no events"] * (self.programs is None)
        return f"bwrap({', '.join(lacks)})" if lacks else "bwrap"

    def launcher(self, observe: bool) -> Launcher:
        """The one below a watcher, or the one that nobody watches."""
        if observe not in self.launchers:
            programs = self.programs if observe else None
            launcher = Launcher(
                uid=self.uid, trace=self.trace, ptrace=self.ptrace, programs=programs
            )
            self.launchers[observe] = launcher
            if self.group:
                self.group.adopt(launcher.pid)
                if programs:
                    self.group.follow(launcher.process.pid)
        return self.launchers[observe]

    def etc(self, texts: dict[str, str]) -> dict[str, Path]:
        """Mounts for these files of /etc; the worker serves one run at a time, so it has one set.

        And of /etc/pressure, by which waits inside the box count its own time.
        """
        folder = self.trace.with_name(f"{self.trace.name}-etc")
        if texts:
            folder.mkdir(0o755, exist_ok=True)
        for name, text in texts.items():
            (folder / name).write_text(text)
        pressure = self.group.pressure if self.group else None
        more = {"/etc/pressure": pressure} if pressure else {}
        return {f"/etc/{name}": folder / name for name in texts} | more

    def renew(self) -> None:
        """After a failure of our own: the next run gets new launchers."""
        while self.launchers:
            self.launchers.popitem()[1].close()

    def close(self) -> None:
        self.renew()
        if self.group:
            self.group.remove()
        with contextlib.suppress(FileNotFoundError):
            self.trace.unlink()
