"""In the box: one test in a child process, which has passed if it ended as only a passed test does.

So a program that ends early, prints results, closes descriptors or kills what started it gets no
pass. One that ends as a passed test does gets it in decoys too (kit.harness.decoys), which are told
from tests outside of the box: this process never reads what its children are given.
"""

import ctypes
import marshal
import os
import select
import signal
import struct
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from kit_channel import Channel

DUMPABLE = 4  # prctl: may processes of the same uid look into this one? (bwrap's never may)
SAID = 100_000  # bytes that are kept
PASSED = 203  # exit code, in kit_unit.c too; no usual one
_send, _end = os.write, os._exit  # as they were before any program ran
_prctl = ctypes.CDLL(None).prctl


class Pulse:
    """Is a process at work? Its CPU clock tells, and needs no file to be opened.

    Time is the box's own: seconds in which others had the CPU do not count where the tier shows
    them, once `prepare` was called. Processes that wait for each other gain time too, until the
    deadline of the run: that is kept outside.
    """

    SPAN_S, LEAST = 0.1, 0.05  # over so long, such a share of a CPU is work; polling takes less
    clock_of_box = -1  # a file, opened before the program starts

    def __init__(self, pid: int) -> None:
        self.clock = ~pid << 3 | 2  # of the whole process: clock_getcpuclockid(3)
        self.begun = self.at = self.moved = self.now()
        self.first = self.seen = self.read()

    @classmethod
    def prepare(cls) -> None:
        if os.path.exists("/etc/clock"):
            cls.clock_of_box = os.open("/etc/clock", os.O_RDONLY | os.O_CLOEXEC)

    @classmethod
    def now(cls) -> float:
        clock = os.pread(cls.clock_of_box, 8, 0) if cls.clock_of_box >= 0 else b""
        return float(struct.unpack("=d", clock)[0]) if clock else time.monotonic()

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
        worked = self.read()
        now = self.now()
        if now - self.at >= self.SPAN_S:
            if worked - self.seen >= self.LEAST * (now - self.at):
                self.moved = now
            self.seen = worked
            self.at = now
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


def deal(folder: str, count: int) -> list[int]:
    """Descriptors of what the children read, one of each; the files are gone."""
    papers = []
    for number in range(count):
        place = os.path.join(folder, str(number))
        papers.append(os.open(place, os.O_RDONLY))
        os.unlink(place)
    return papers


def child(
    body: Callable[[Any], bytes], papers: list[int], number: int, channel: Channel, wall_s: float
) -> Told:
    """Runs `body` on what the child alone reads; what it returns is sent, nothing if it passed.

    When it ends or overruns wall_s seconds, its whole process group is killed.
    """
    ours, theirs = os.pipe()
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        for fd in {ours, channel.fd, *papers} - {papers[number]}:
            os.close(fd)
        with open(papers[number], "rb") as file:
            paper = marshal.load(file)
        _prctl(DUMPABLE, 1)
        os.setpgid(0, 0)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        failure = body(paper)
        try:
            _send(theirs, failure)
            sys.stdout.flush()
        finally:
            _end(0 if failure else PASSED)
    os.close(theirs)
    sent, late = _listen(ours, pid, wall_s)
    for kill in (os.killpg, os.kill):
        try:
            kill(pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            continue
    status = os.waitpid(pid, 0)[1]
    has_passed = os.WIFEXITED(status) and os.WEXITSTATUS(status) == PASSED
    return Told(has_passed, sent[:SAID], status, late)


def _listen(fd: int, pid: int, wall_s: float) -> tuple[bytes, bool]:
    """(what the child sent until it ended, whether it overran its time)."""
    sent = b""
    pulse = Pulse(pid)
    process = os.pidfd_open(pid)
    watched = [fd, process]
    is_late = pulse.over(wall_s)
    while not is_late:
        ready = select.select(watched, [], [], 0.1)[0]
        chunk = os.read(fd, 65536) if fd in ready else b""
        sent += chunk
        if process in ready and not chunk:
            break
        if fd in ready and not chunk:
            watched = [process]
        is_late = pulse.over(wall_s)
    os.close(fd)
    os.close(process)
    return sent, is_late
