"""Feeds, reads and times a child process with bounded memory."""

import contextlib
import os
import select
import signal as signals
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from kit.records import Evidence, Status
from kit.sandbox.base import Broken, Command, Limits
from kit.sandbox.collect import CollectedFiles
from kit.sandbox.events import Record, parse_trace

CHUNK = 65536
TICK_S = 0.5  # how often the guard is asked while the program is silent
WORTH_S = 0.02  # less time is not given back
PATIENCE = 15  # times its limit, at most, that a run may take on a machine that others keep busy


@dataclass
class Stream:
    """One output of the child, kept up to `cap` bytes; `fd` is the pipe that we read, if any."""

    fd: int
    cap: int
    data: bytearray = field(default_factory=bytearray)
    full: bool = False

    def add(self, chunk: bytes) -> None:
        """Keep what there is room for."""
        room = self.cap - len(self.data)
        self.data += chunk[:room]
        self.full = self.full or len(chunk) > room

    def pull(self) -> bool:
        """Read what is there; False at the end of the stream or at the cap."""
        try:
            chunk = os.read(self.fd, CHUNK)
        except BlockingIOError:
            return True
        self.add(chunk)
        return bool(chunk) and not self.full

    def drain(self) -> None:
        """Take what is left in the pipe without waiting for its end: a stray writer may hold it."""
        with contextlib.suppress(BlockingIOError):
            while not self.full and (chunk := os.read(self.fd, CHUNK)):
                self.add(chunk)


def streams(out: int, err: int, channel: int, limits: Limits) -> list[Stream]:
    """stdout, stderr and the return channel with their caps."""
    each = limits.output_kb << 10
    return [Stream(out, each), Stream(err, each), Stream(channel, limits.channel_kb << 10)]


@dataclass
class Ending:
    """Why we stopped listening: "exit", "deadline", "flood" (a cap met), or what a guard said.

    "starved": our patience ended while the run had waited for a CPU for most of the time.
    """

    cause: str
    wall_s: float


def feed(fd: int, data: memoryview) -> memoryview:
    """Write what the pipe takes now; what is left. A closed reader takes nothing more."""
    try:
        return data[os.write(fd, data) :] if data else data
    except BlockingIOError:
        return data
    except BrokenPipeError:
        return data[:0]


def listen(
    streams: list[Stream],
    *,
    until: int,
    stdin_fd: int,
    stdin: bytes,
    wall_s: float,
    guard: Callable[[], str] = lambda: "",
    waited: Callable[[float], float] = lambda _: 0.0,
) -> Ending:
    """Pump until `until` can be read, the deadline passes, a cap is met, or guard() says why.

    waited: of so many seconds, those in which the run got no CPU; the deadline moves by them.
    """
    start, granted = time.monotonic(), 0.0
    poller, by_fd = select.poll(), {s.fd: s for s in streams}
    for fd in (*by_fd, until):
        poller.register(fd, select.POLLIN)
    for fd in (*by_fd, stdin_fd):
        os.set_blocking(fd, False)
    left = feed(stdin_fd, memoryview(stdin))
    if left:
        poller.register(stdin_fd, select.POLLOUT)
    else:
        os.close(stdin_fd)
    cause = ""
    while not cause:
        took = time.monotonic() - start
        rest = wall_s + granted - took
        if rest <= 0:
            owed = waited(took)
            if owed - granted < WORTH_S or granted >= PATIENCE * wall_s:
                cause = "starved" if granted >= PATIENCE * wall_s else "deadline"
                break
            granted = min(owed, PATIENCE * wall_s)
            continue
        for fd, _ in poller.poll(min(rest, TICK_S) * 1000 + 1):
            if fd == until:
                cause = cause or "exit"
            elif fd == stdin_fd:
                left = feed(stdin_fd, left)
                if not left:
                    poller.unregister(fd)
                    os.close(fd)
            elif not by_fd[fd].pull():
                poller.unregister(fd)
                if by_fd[fd].full:
                    cause = "flood"
        cause = cause or guard()
    if left:
        os.close(stdin_fd)
    return Ending(cause, time.monotonic() - start)


class Pipes:
    """Pipes of one run; all ends are closed when the stack unwinds."""

    def __init__(self, stack: contextlib.ExitStack) -> None:
        self.mine: set[int] = set()
        self.theirs: set[int] = set()
        stack.callback(self.close)

    def pair(self, *, ours: str) -> tuple[int, int]:
        """(our end, their end)."""
        r, w = os.pipe()
        mine, theirs = (r, w) if ours == "r" else (w, r)
        self.mine.add(mine)
        self.theirs.add(theirs)
        return mine, theirs

    def forget(self, fd: int) -> None:
        self.mine.discard(fd)

    def close_theirs(self) -> None:
        while self.theirs:
            os.close(self.theirs.pop())

    def close(self) -> None:
        self.close_theirs()
        while self.mine:
            os.close(self.mine.pop())


def waiting(took: float, *, cpu_s: float, waited_s: float) -> float:
    """Of `took` seconds, those that others took: in a run that works on two CPUs one of its own
    processes may wait for another, and that is no loss."""
    return max(0.0, min(waited_s, took - cpu_s))


def pressure() -> float:
    """Seconds since the machine started in which some process of it waited for a CPU."""
    try:
        return int(Path("/proc/pressure/cpu").read_text().partition("total=")[2].split()[0]) / 1e6
    except (OSError, IndexError):
        return 0.0


def excused(ending: Ending, *, cpu_s: float, pressed_s: float) -> Ending:
    """For tiers that cannot say how long a run itself waited: a deadline is "starved" where the
    machine was short of CPU for most of the time and the run got it for less than half."""
    busy = pressed_s > ending.wall_s / 2 > cpu_s
    return Ending("starved", ending.wall_s) if ending.cause == "deadline" and busy else ending


def status_of(
    ending: Ending,
    *,
    code: int | None,
    signal: int | None,
    limits: Limits,
    cpu_s: float,
    oom: bool = False,
) -> tuple[Status, str]:
    """The status by what happened (our deadline, the kernel's count, a signal), and a sentence."""
    if oom:
        return Status.OOM, f"needed more than {limits.memory_mb} MB"
    if ending.cause == "deadline":
        return Status.TIMEOUT, f"still running after {limits.wall_s:g} s"
    if ending.cause == "starved":
        return Status.INFRA_ERROR, "got next to no CPU: the machine is too busy"
    if ending.cause == "flood":
        return Status.OUTPUT_LIMIT, "printed more than it may"
    if ending.cause == "trace":
        return Status.OUTPUT_LIMIT, "made more system calls than the trace may hold"
    if signal == signals.SIGXCPU or (signal == signals.SIGKILL and cpu_s >= limits.cpu_s):
        return Status.TIMEOUT, f"used {limits.cpu_s:g} s of CPU"
    if signal:
        return Status.CRASHED, f"killed by {name_of(signal)}"
    if code is None:
        return Status.INFRA_ERROR, "the sandbox told no exit code"
    return Status.COMPLETED, ""


def evidence(
    ending: Ending,
    *,
    command: Command,
    code: int | None,
    signal: int | None = None,
    cpu_s: float,
    peak_mb: float,
    waited_s: float = 0.0,
    streams: list[Stream],
    collected: CollectedFiles,
    isolation: str,
    trace: tuple[str, Iterable[tuple[str, Record]]] | None = None,
    capped: bool = False,
    oom: bool = False,
) -> Evidence:
    """All that one run left, as the record; Broken where the watcher saw that no program began.

    trace: what the watcher wrote, None where nobody watched. capped: the trace may be longer.
    """
    story, ended = parse_trace(*(trace or ("", ()))), ending.cause == "exit"
    if trace is not None:
        if not story.started:
            reason = bytes(streams[1].data).decode(errors="replace").strip()
            raise Broken(f"the program did not start: {reason or 'no reason given'}")
        signal = signal_of(story.signal) if ended else None
        code = None if signal else code
    if story.yields and ending.cause == "starved":  # it let others go first: its own deadline
        ending = Ending("deadline", ending.wall_s)
    status, note = status_of(
        ending, code=code, signal=signal, limits=command.limits, cpu_s=cpu_s, oom=oom
    )
    return Evidence(
        status=status,
        exit_code=code,
        signal=signal,
        stdout=bytes(streams[0].data),
        stderr=bytes(streams[1].data),
        truncated=any(s.full for s in streams),
        wall_s=ending.wall_s,
        cpu_s=cpu_s,
        peak_mb=peak_mb,
        waited_s=waited_s,
        files=collected.files,
        skipped=collected.skipped,
        modes=collected.modes,
        events=story.events,
        isolation=isolation,
        channel=bytes(streams[2].data),
        note=note,
        lost=(*story.gaps(capped=capped, whole=ended), *collected.lost),
    )


def signal_of(killer: str) -> int | None:
    """The number of the signal of this name, None for no name."""
    if killer.startswith("SIGRT"):  # real-time ones count from 32
        return 32 + int(killer.partition("_")[2] or 0)
    return getattr(signals, killer, None) if killer else None


def name_of(number: int) -> str:
    """The name of a signal; a real-time one is told by its number."""
    known = {s.value: s.name for s in signals.Signals}
    return known.get(number, f"signal {number}")
