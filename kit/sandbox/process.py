"""What every tier does with the program of a run: files in, streams and time, files out, Evidence.

Files go in and come out through the descriptor of one directory, never through a link.
"""

import contextlib
import ctypes
import os
import select
import signal as signals
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from kit.core.errors import KitError
from kit.core.records import Evidence, Status
from kit.sandbox.base import TMP, Broken, Command, Given, Limits, bytes_of, parts_of, text_of
from kit.sandbox.watcher import ParsedTrace

CHUNK = 65536
TICK_S = 0.02  # how often the guard is asked while the program is silent
WORTH_S = 0.02  # less time is not given back
PATIENCE = 15  # times its limit, at most, that a run may take on a machine that others keep busy
LIBC = ctypes.CDLL(None)
DEPTH = 16
SECONDS = 5.0
SKIPPED = 200  # names listed as skipped; the rest is counted in one line
CAPPED = "more files than are collected"
DELETED = "deleted by the program"
KINDS = {
    stat.S_IFLNK: "symbolic link",
    stat.S_IFIFO: "FIFO",
    stat.S_IFSOCK: "socket",
    stat.S_IFBLK: "device",
    stat.S_IFCHR: "device",
}
_DIR = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def place_files(root: int, files: Mapping[str, bytes], *, owner: int | None) -> None:
    """Write `files` below the directory `root`, before the program runs; `owner` gets them."""
    if owner is not None:  # files made by this thread: the box's file system knows no other owner
        LIBC.setfsgid(owner)
        LIBC.setfsuid(owner)
    try:
        for path, data in files.items():
            try:
                _write_file(root, [bytes_of(part) for part in parts_of(path)], data)
            except OSError as error:
                reason = error.strerror
                raise KitError(
                    f"Input {path!r} of {len(data)} bytes was not placed: {reason}."
                ) from None
    finally:
        LIBC.setfsuid(os.geteuid())
        LIBC.setfsgid(os.getegid())


def _write_file(root: int, parts: list[bytes], data: bytes) -> None:
    for i in range(1, len(parts)):
        with contextlib.suppress(FileExistsError):
            folder = b"/".join(parts[:i])
            os.mkdir(folder, dir_fd=root)
            os.chmod(folder, 0o755, dir_fd=root)  # the umask may be another
    fd = os.open(b"/".join(parts), os.O_WRONLY | os.O_CREAT | os.O_EXCL, dir_fd=root)
    with os.fdopen(fd, "wb") as file:
        os.fchmod(fd, 0o644)
        file.write(data)


def open_pipe(readers: contextlib.ExitStack, writers: contextlib.ExitStack) -> tuple[int, int]:
    """(the end to read from, the end to write to), each to be closed with its stack."""
    read_end, write_end = os.pipe()
    readers.callback(os.close, read_end)
    writers.callback(os.close, write_end)
    return read_end, write_end


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


def make_streams(out: int, err: int, channel: int, limits: Limits) -> list[Stream]:
    """stdout, stderr and the return channel with their caps."""
    each = limits.output_kb << 10
    return [Stream(out, each), Stream(err, each), Stream(channel, limits.channel_kb << 10)]


@dataclass
class Ending:
    """Why we stopped listening: "exit", "deadline", "flood" (a cap met), or a guard's word.

    "starved": our patience ended while the run had waited for a CPU for most of the time.
    """

    cause: str
    wall_s: float


def feed_pipe(fd: int, data: memoryview) -> memoryview:
    """Write what the pipe takes now; what is left. A closed reader takes nothing more."""
    try:
        return data[os.write(fd, data) :]
    except BlockingIOError:
        return data
    except BrokenPipeError:
        return data[:0]


def pump_streams(
    streams: list[Stream],
    *,
    until: int,
    stdin_fd: int,
    close_stdin: Callable[[], None],
    stdin: bytes,
    wall_s: float,
    guard: Callable[[], str] = lambda: "",
    waited: Callable[[float], float] = lambda _: 0.0,
) -> Ending:
    """Pump until `until` can be read, the deadline passes, a cap is met, or guard() names a cause.

    waited: of so many seconds, those in which the run got no CPU; the deadline moves by them.
    """
    start, granted = time.monotonic(), 0.0
    poller, by_fd = select.poll(), {s.fd: s for s in streams}
    for fd in (*by_fd, until):
        poller.register(fd, select.POLLIN)
    for fd in (*by_fd, stdin_fd):
        os.set_blocking(fd, False)
    poller.register(stdin_fd, select.POLLOUT)
    left, cause = memoryview(stdin), ""
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
                left = feed_pipe(stdin_fd, left)
                if not left:
                    poller.unregister(fd)
                    close_stdin()
            elif not by_fd[fd].pull():
                poller.unregister(fd)
                if by_fd[fd].full:
                    cause = "flood"
        cause = cause or guard()
    close_stdin()
    return Ending(cause, time.monotonic() - start)


def time_lost_to_others(took: float, *, cpu_s: float, waited_s: float) -> float:
    """Of `took` seconds, those that other runs took: where two processes of one run work, one may
    wait for the other, and that is no loss."""
    return max(0.0, min(waited_s, took - cpu_s))


def let_read(folder: Path) -> None:
    """Let everybody read a folder and all below it, whatever the umask was when it was made."""
    for path in (p for p in (folder, *folder.rglob("*")) if not p.is_symlink()):
        path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)


def list_session_processes(session: int) -> Iterator[Path]:
    """The folders in /proc of a session's living processes."""
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if os.getsid(int(folder.name)) == session:
                yield folder


def measure_cpu_use(processes: Iterable[Path]) -> tuple[float, float]:
    """(CPU seconds of the processes' living threads, the longest wait of one of them for a CPU)."""
    ran = longest = 0
    for folder in processes:
        with contextlib.suppress(OSError):  # it has ended, or the kernel keeps no such account
            for file in folder.glob("task/*/schedstat"):
                on_cpu, waited, _ = map(int, file.read_text().split())
                ran, longest = ran + on_cpu, max(longest, waited)
    return ran / 1e9, longest / 1e9


def excuse_deadline(ending: Ending, *, cpu_s: float, waited_s: float) -> Ending:
    """For tiers whose deadline cannot move: it becomes "starved" where a thread of the run waited
    for a CPU for most of the time and the run got less than half of it."""
    busy = waited_s > ending.wall_s / 2 > cpu_s
    return Ending("starved", ending.wall_s) if ending.cause == "deadline" and busy else ending


class Collector:
    """What a run left: regular files with one link, within the caps, that differ from the inputs.

    skipped: path -> why it is not collected. unlisted: how many are not even named there.
    """

    def __init__(self, command: Command) -> None:
        self.files: dict[str, bytes] = {}
        self.modes: dict[str, int] = {}
        self.skipped: dict[str, str] = {}
        self.unlisted = 0
        self.lost: list[str] = []  # why something may be missing unnamed
        placed = {"/".join(parts_of(path)): Given(data) for path, data in command.files.items()}
        self.inputs = placed | dict(command.made)
        self.limits = command.limits
        self.offered: set[str] = set()
        self.left = self.limits.artefact_mb << 20
        self.until = time.monotonic() + SECONDS

    def take(self, **folders: int) -> Self:
        """Walk the folders `box` and `tmp` by descriptors; nothing is reached through a symlink.

        The inputs come first, so that no flood of new files can hide what became of them.
        """
        for path in self.inputs:
            below_tmp = path.startswith(f"{TMP}/")
            *above, entry = bytes_of(path.removeprefix(f"{TMP}/")).split(b"/")
            with contextlib.suppress(OSError), contextlib.ExitStack() as stack:  # it may be gone
                folder = folders["tmp" if below_tmp else "box"]
                for part in above:
                    folder = os.open(part, _DIR, dir_fd=folder)
                    stack.callback(os.close, folder)
                self._collect_entry(folder, entry, path)
        for name, folder in folders.items():
            self._walk_folder(folder, f"{TMP}/" if name == "tmp" else "")
        return self.finish()

    def finish(self) -> Self:
        """All of it, with the inputs that are gone."""
        for path in self.inputs.keys() - self.offered:
            self.skip(path, DELETED)
        if self.unlisted:
            self.note_loss(CAPPED)
            self.skipped["..."] = f"{self.unlisted} more"
        return self

    def note_loss(self, reason: str) -> None:
        if reason not in self.lost:
            self.lost.append(reason)

    def skip(self, path: str, reason: str) -> None:
        if len(self.skipped) < SKIPPED:
            self.skipped[path] = reason
        else:
            self.unlisted += 1

    def full(self) -> bool:
        """Whether to stop: too long, or far too many entries."""
        return time.monotonic() > self.until or len(self.offered) > 10 * self.limits.artefacts

    def offer(self, name: str, kind: int, links: int, size: int) -> bool:
        """Whether to read a file; if not, `skipped` has the reason."""
        self.offered.add(name)
        reason = KINDS.get(kind, "") or ("hard link" if links != 1 else "")
        if not reason and len(self.files) >= self.limits.artefacts:
            reason = f"more than {self.limits.artefacts} files"
            self.note_loss(CAPPED)
        as_given = name in self.inputs and size == len(self.inputs[name].data)
        if not reason and not as_given:
            reason = self._too_large(size)
        if reason:
            self.skip(name, reason)
        return not reason

    def _too_large(self, size: int) -> str:
        if size <= self.left:
            return ""
        self.note_loss(CAPPED)
        return f"{size} bytes are more than what is left of {self.limits.artefact_mb} MB"

    def keep(self, name: str, data: bytes, mode: int) -> None:
        """Take what was read, unless it is an unchanged input."""
        if self.inputs.get(name) == Given(data, mode):
            return
        if reason := self._too_large(len(data)):
            self.skip(name, reason)
            return
        self.left -= len(data)
        self.files[name], self.modes[name] = data, mode

    def _walk_folder(self, folder: int, prefix: str) -> None:
        with os.scandir(folder) as entries:
            for entry in entries:
                if self.full():
                    self.unlisted += 1
                    return
                raw = os.fsencode(entry.name)
                name = prefix + text_of(raw)
                if entry.is_dir(follow_symlinks=False):
                    self._enter_folder(folder, raw, name)
                elif name not in self.offered:
                    self._collect_entry(folder, raw, name)

    def _enter_folder(self, folder: int, entry: bytes, name: str) -> None:
        if name.count("/") >= DEPTH:
            self.skip(name, f"deeper than {DEPTH} folders")
            self.note_loss(CAPPED)
            return
        try:
            fd = os.open(entry, _DIR, dir_fd=folder)
        except OSError as error:
            self.skip(name, f"not opened: {error.strerror}")
            self.note_loss("a folder could not be opened")
            return
        try:
            self._walk_folder(fd, name + "/")
        finally:
            os.close(fd)

    def _collect_entry(self, folder: int, entry: bytes, name: str) -> None:
        is_now = os.stat(entry, dir_fd=folder, follow_symlinks=False)
        kind = stat.S_IFMT(is_now.st_mode)
        if not self.offer(name, kind, is_now.st_nlink, is_now.st_size):
            return
        try:
            fd = os.open(entry, _FILE, dir_fd=folder)
        except OSError as error:
            self.skip(name, f"not opened: {error.strerror}")
            return
        with os.fdopen(fd, "rb", buffering=0) as file:
            data = file.read(is_now.st_size) if is_now.st_size else b""
        self.keep(name, data, stat.S_IMODE(is_now.st_mode))


def status_of(
    ending: Ending,
    *,
    code: int | None,
    signal: int | None,
    limits: Limits,
    cpu_s: float,
    oom: bool = False,
) -> tuple[Status, str]:
    """The status, by our deadline, the kernel's count or a signal, and a sentence for it."""
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
    if signal:  # a real-time one has a number instead of a name
        name = next((s.name for s in signals.Signals if s == signal), f"signal {signal}")
        return Status.CRASHED, f"killed by {name}"
    if code is None:
        return Status.INFRA_ERROR, "the sandbox told no exit code"
    return Status.COMPLETED, ""


@dataclass(frozen=True)
class RunUsage:
    """What a run used. waited_s: when it was ready to run, and others had the CPU."""

    cpu_s: float
    peak_mb: float
    waited_s: float = 0.0
    oom: bool = False


@dataclass(frozen=True)
class Watched:
    """What the watcher saw. is_capped: there may have been more."""

    trace: ParsedTrace
    is_capped: bool = False


def build_evidence(
    ending: Ending,
    *,
    command: Command,
    code: int | None,
    usage: RunUsage,
    streams: list[Stream],
    collected: Collector,
    isolation: str,
    watched: Watched | None = None,
) -> Evidence:
    """All that one run left, as the record; Broken where the watcher shows that no program began.

    code: the exit code, or -n for signal n; it counts where the program ended by itself.
    watched: None where nobody watched.
    """
    story = watched.trace if watched else ParsedTrace()
    ended = ending.cause == "exit"
    is_capped = watched is not None and watched.is_capped
    code = code if ended else None
    signal = -code if code is not None and code < 0 else None
    if watched:
        if not story.started:
            reason = bytes(streams[1].data).decode(errors="replace").strip()
            raise Broken(f"the program did not start: {reason or 'no reason given'}")
        signal = signal_of(story.signal) if ended else None
    code = None if signal else code
    status, note = status_of(
        ending,
        code=code,
        signal=signal,
        limits=command.limits,
        cpu_s=usage.cpu_s,
        oom=usage.oom,
    )
    return Evidence(
        status=status,
        exit_code=code,
        signal=signal,
        stdout=bytes(streams[0].data),
        stderr=bytes(streams[1].data),
        truncated=any(s.full for s in streams),
        wall_s=ending.wall_s,
        cpu_s=usage.cpu_s,
        peak_mb=usage.peak_mb,
        waited_s=usage.waited_s,
        files=collected.files,
        skipped=collected.skipped,
        modes=collected.modes,
        events=tuple(story.events),
        isolation=isolation,
        channel=bytes(streams[2].data),
        note=note,
        lost=(*story.gaps(capped=is_capped, whole=ended), *collected.lost),
    )


def signal_of(killer: str) -> int | None:
    """The number of the signal of this name, None for no name."""
    if killer.startswith("SIGRT"):  # real-time ones count from 32
        return 32 + int(killer.partition("_")[2])
    return getattr(signals, killer, None)
