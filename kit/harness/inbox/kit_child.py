"""In the box: one test in a child process, which has passed if it sent the nonce drawn for it.

So a program that ends early, prints results, closes descriptors or kills what started it gets no
pass; one that searches the memory of its own process for the nonce would, as with any test that
runs inside the process of the program.
"""

import ctypes
import os
import select
import signal
import sys
import time
from collections.abc import Callable
from typing import NamedTuple

from kit_channel import Channel

DUMPABLE = 4  # prctl: may processes of the same uid look into this one? (bwrap's never may)
SAID = 100_000  # bytes that are kept
_send, _end = os.write, os._exit  # as they were before any program ran
_prctl = ctypes.CDLL(None).prctl


class Pulse:
    """Is a process at work? Its CPU clock tells, and needs no file to be opened.

    Time is the box's own: seconds in which others had the CPU do not count where the tier shows
    them, once `prepare` was called. Processes that wait for each other gain time too, until the
    deadline of the run: that is kept outside.
    """

    SPAN_S, LEAST = 0.1, 0.05  # over so long, such a share of a CPU is work; polling takes less
    pressure = -1  # how long the box waited for a CPU: a file, opened before the program starts

    def __init__(self, pid: int) -> None:
        self.clock = ~pid << 3 | 2  # of the whole process: clock_getcpuclockid(3)
        self.begun = self.at = self.moved = self.now()
        self.first = self.seen = self.read()

    @classmethod
    def prepare(cls) -> None:
        if os.path.exists("/etc/pressure"):
            cls.pressure = os.open("/etc/pressure", os.O_RDONLY | os.O_CLOEXEC)

    @classmethod
    def now(cls) -> float:
        pressure = os.pread(cls.pressure, 200, 0) if cls.pressure >= 0 else b""
        waited = pressure.partition(b"total=")[2].split()[:1]  # microseconds
        return time.monotonic() - (int(waited[0]) / 1e6 if waited else 0)

    def read(self) -> float:
        try:
            return time.clock_gettime(self.clock)
        except OSError:  # it has ended
            return getattr(self, "seen", 0.0)

    def over(self, seconds: float, idle_s: float = 1.0) -> bool:
        """Have so many seconds gone by, and has it done nothing for a while, or worked as long?"""
        idle = self.idle_s() >= idle_s
        late = self.now() - self.begun >= seconds
        return late and (idle or self.read() - self.first >= seconds)

    def idle_s(self) -> float:
        """For how long it has done nothing."""
        worked, now = self.read(), self.now()
        if now - self.at >= self.SPAN_S:
            if worked - self.seen >= self.LEAST * (now - self.at):
                self.moved = now
            self.seen, self.at = worked, now
        return now - self.moved


class Told(NamedTuple):
    """What became of a child. status: as from waitpid; late: it overran its time."""

    passed: bool
    said: bytes
    status: int
    late: bool


def hide() -> None:
    """From now on no process of the box may look into this one, and waits count its own time."""
    Pulse.prepare()
    _prctl(DUMPABLE, 0)


def child(body: Callable[[bytes, int], bytes], channel: Channel, wall_s: float) -> Told:
    """Runs `body(nonce, pipe)` in a child: what it returns is sent, the nonce where it passed.

    When it ends, closes the pipe or overruns wall_s seconds, its whole process group is killed.
    """
    nonce = os.urandom(16).hex().encode()
    ours, theirs = os.pipe()
    sys.stdout.flush()
    if (pid := os.fork()) == 0:
        os.close(ours)
        os.close(channel.fd)
        _prctl(DUMPABLE, 1)
        os.setpgid(0, 0)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        _send(theirs, body(nonce, theirs))
        try:
            sys.stdout.flush()
        finally:
            _end(0)
    os.close(theirs)
    sent, late = _listen(ours, pid, wall_s)
    for kill in (os.killpg, os.kill):
        try:
            kill(pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            continue
    return Told(sent == nonce, sent[:SAID], os.waitpid(pid, 0)[1], late)


def _listen(fd: int, pid: int, wall_s: float) -> tuple[bytes, bool]:
    """(what the child sent until it closed the pipe or ended, whether it overran its time)."""
    sent, pulse, ended = b"", Pulse(pid), os.pidfd_open(pid)
    while not (late := pulse.over(wall_s)):
        ready = select.select([fd, ended], [], [], 0.1)[0]
        chunk = os.read(fd, 65536) if fd in ready else b""
        sent += chunk
        if ready and not chunk:
            break
    os.close(fd)
    os.close(ended)
    return sent, late
