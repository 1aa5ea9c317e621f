"""Converts the watcher's records into Events with absolute paths.

    kind     target                          mode
    open     the path as asked for; and      r, w or rw, also where the open failed
             again where a link led to
    write    a path made or changed          the call: mkdir, symlink, chmod, truncate, ...
    delete   a path                          the call: unlink, rmdir, ...
    rename   both paths                      from, to
    connect  address:port, unix:path         (also a datagram sent to an address)
    bind     address:port, unix:path         (*:0 where a socket listens that was never bound)
    exec     the path of the program         the joined arguments
    start    the same, of the program that   the joined arguments
             the sandbox or its harness began
    refused  the name of a call that no
             program of a box may make
    signal   the name of one that killed the program or one of its processes

Which calls make them stands in syscalls.py; what is told of a call, in Record. What loaders
and interpreters do for themselves stays in; it lies below /usr, /lib and /etc/ld.so.*.
"""

import errno
import posixpath
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from kit.records import UNKNOWN, Event
from kit.sandbox.syscalls import Call

MARK = "/kit-begin"  # touched: what came before was the harness's
START = "/kit-start"  # the same, and the next program of this process is the one that is meant
CAPPED = "more system calls than the trace may hold"
CUT = "a call was shown in part"
UNCLEAR = "a path could not be followed, through a descriptor or too many links"
BROKEN_OFF = "the trace breaks off"
# Records of no system call: a process ended by itself, or by a signal; something was shown in part;
# a process lowered its own priority, or may have.
EXITED, KILLED, PART, YIELDS = (Call(n, -1, n) for n in ("exited", "killed", "cut", "yields"))

_HOPS = 40
_STEPS = 100_000  # parts of paths that are looked at for one run
_LONGEST = 8192
_PROCESS = re.compile(r"/proc/(?:self|thread-self|\d+)(?:/task/\d+)?/(?:(root)|(cwd)|fd/\d+)")
_OWN = re.compile(r"/proc/(?:self|thread-self)/")
_NUMBERS = {name: number for number, name in errno.errorcode.items()}


class Record(NamedTuple):
    """One system call as the watcher saw it. Fields that a call has no use for are empty."""

    call: Call
    paths: tuple[str, ...] = ()  # dots and all; relative where the folder is not known, or ""
    folder: str = ""  # the working folder, where that is known
    file: str = ""  # what the first descriptor stands for
    words: tuple[str, ...] = ()  # arguments of an exec, a link's target, a signal
    addresses: tuple[str, ...] = ()  # address:port, unix:path, or family:name
    mode: str = ""  # of an open
    flags: tuple[str, ...] = ()  # NOFOLLOW, FOLLOW, EXCHANGE
    value: int = 0  # what it returned, or a negative errno
    error: str = UNKNOWN  # "" for none; UNKNOWN until somebody saw what came of it
    real: str = ""  # the path behind the descriptor that it returned


def failure(name: str) -> tuple[int, str]:
    """(negative errno, name) of a call that failed with the error of this name."""
    return -_NUMBERS.get(name, 1), name


class Symlinks:
    """Symbolic and hard links that a program made, by their place, followed as the kernel would.

    `unclear`: one was met that cannot be followed.
    """

    def __init__(self) -> None:
        self.to: dict[str, str] = {}
        self.unclear = False
        self.steps = 0

    def add(self, place: str, target: str) -> None:
        """A link at `place`; a relative target is meant from the folder of `place`."""
        self.to[place] = target if target[:1] == "/" else f"{posixpath.dirname(place)}/{target}"

    def drop(self, place: str) -> None:
        self.to.pop(place, None)

    def move(self, old: str, new: str) -> None:
        """What lies at or below `old` lies at or below `new`."""
        self.drop(new)
        for place in [p for p in self.to if p == old or p.startswith(old + "/")]:
            self.to[new + place[len(old) :]] = self.to.pop(place)

    def matter(self, path: str) -> bool:
        """Whether a path could be another than it looks."""
        return bool(self.to) or path.startswith(("/proc/", "/dev/fd/"))

    def follow(self, path: str, *, folder: str, last: bool) -> str:
        """Where an absolute path leads, dots and all; `last`: also where its last part is a link.

        folder: the working folder of the process, for /proc/self/cwd.
        """
        if not self.matter(path):
            return normal(path)
        todo, done, hops = path.split("/")[::-1], [""], 0
        while todo:
            self.steps += 1
            if self.steps > _STEPS or len(path) > _LONGEST:
                self.unclear = True
                return normal(path)
            part = todo.pop()
            if part == ".." and len(done) > 1:
                done.pop()
            if part in ("", ".", ".."):
                continue
            here = f"{done[-1]}/{part}"
            done.append(here)
            target = self._target(here, folder, further=bool(todo)) if todo or last else None
            if target is not None and hops < _HOPS:
                hops, done = hops + 1, [""]
                todo += target.split("/")[::-1]
        return done[-1] or "/"

    def _target(self, here: str, folder: str, *, further: bool) -> str | None:
        if here == "/dev/fd":
            return "/proc/self/fd"
        if here.startswith("/proc/") and (match := _PROCESS.fullmatch(here)):
            if match[1]:
                return "/"
            if match[2] and _OWN.match(here):
                return folder
            self.unclear = self.unclear or further
        return self.to.get(here)


def normal(path: str) -> str:
    """An absolute path without dots; a link before a `..` is not looked at."""
    if "/." in path or "//" in path or path.endswith("/"):
        path = posixpath.normpath(path)
    return path[1:] if path.startswith("//") else path


def distinct(*paths: str) -> tuple[str, ...]:
    """Each of several ways to say a path, once; descriptors of no file are none."""
    return tuple(dict.fromkeys(p for p in paths if p.startswith("/")))


@dataclass(frozen=True)
class ParsedTrace:
    """What the trace of one run tells."""

    events: tuple[Event, ...] = ()
    signal: str = ""  # that killed the program, "" where none did
    started: bool = False  # whether the program was found and began
    lost: tuple[str, ...] = ()  # why something that it did may be missing
    ended: bool = False  # whether the program's end was seen
    yields: bool = False  # whether it lowered its own priority, or may have

    def gaps(self, *, capped: bool, whole: bool) -> tuple[str, ...]:
        """Why the events may lack some.

        capped: the trace met its cap. whole: the run came to an end of its own.
        """
        broken = whole and self.started and not self.ended
        return (*([CAPPED] if capped else [BROKEN_OFF] if broken else []), *self.lost)


def parse_trace(leader: str, records: Iterable[tuple[str, Record]]) -> ParsedTrace:
    """The events since MARK was touched, else since the first exec of `leader`.

    leader: the process that the program is to be, "" where no process got so far.
    """
    if not leader:
        return ParsedTrace()
    trace = _Trace(leader)
    for pid, record in records:
        trace.feed(pid, record)
    reasons = {CUT: trace.cut, UNCLEAR: trace.links.unclear}
    lost = tuple(reason for reason, holds in reasons.items() if holds)
    begun = trace.begun or trace.started
    return ParsedTrace(tuple(trace.events), trace.signal, begun, lost, trace.ended, trace.yields)


class _Trace:
    """Follows the links that the program makes and turns its calls into Events."""

    def __init__(self, leader: str) -> None:
        self.leader = self.starting = leader  # whose next exec is `start`
        self.links = Symlinks()
        self.bound: set[str] = set()
        self.events: list[Event] = []
        self.begun = self.started = self.ended = False
        self.signal = ""
        self.cut = self.yields = False

    def feed(self, pid: str, record: Record) -> None:
        """One call, or one thing that happened to a process."""
        kind, folder = record.call.kind, record.folder or "/box"
        if kind in ("exited", "killed"):
            signal = "".join(record.words)
            if pid == self.leader:
                self.ended, self.signal = True, signal
            if signal and (pid == self.leader or signal != "SIGKILL"):
                self.events.append(Event("signal", signal))
        elif kind in ("cut", "yields"):
            self.cut, self.yields = self.cut or kind == "cut", self.yields or kind == "yields"
        elif record.call.reads == "address":
            self._met(record)
        elif kind == "refused":
            self._add(record, "refused", record.call.name)
        elif kind == "listen":
            if record.file and record.file not in self.bound:
                self._add(record, "bind", "*:0")
        else:
            asked = (record.file,) if record.call.reads == "fd" else record.paths
            paths = [p if p[:1] in ("/", "") else f"{folder}/{p}" for p in asked]
            if any(asked) or len(asked) > 1:
                self._deed(pid, record, paths, folder)

    def _met(self, record: Record) -> None:
        """Addresses that a call names."""
        for address in record.addresses:
            self._add(record, record.call.kind, address)
        if record.call.kind == "bind" and record.value == 0:
            self.bound.add(record.file)

    def _add(self, record: Record, kind: str, target: str, mode: str = "") -> None:
        self.events.append(Event(kind, target, mode, record.value, record.error))

    def _deed(self, pid: str, record: Record, paths: list[str], folder: str) -> None:
        """A call on a path, or on the file behind a descriptor."""
        kind, makes = record.call.kind, record.call.reads == "made"
        if kind == "mark":
            if not self.begun and paths[0] in (MARK, START):  # what came before was the harness's
                self.begun = True
                self.starting = pid if paths[0] == START else ""
                self.events.clear()
        elif kind == "rename":
            self._renamed(record, paths, folder)
        elif kind == "exec":
            self._began(pid, record, self._ways(paths[0], folder, record))
        else:
            for way in self._ways(paths[-1 if makes else 0], folder, record):
                self._add(record, kind, way, record.mode if kind == "open" else record.call.name)
            if record.value == 0 and (makes or kind == "delete" and not record.error):
                self._linked(record, paths, folder)

    def _ways(self, path: str, folder: str, record: Record) -> tuple[str, ...]:
        """The path as asked for, what was opened, and where links lead from there."""
        asked, real = normal(path), record.real
        if not self.links.matter(real or asked):
            return distinct(asked, real)
        last = record.call.reads == "leads" and "NOFOLLOW" not in record.flags
        return distinct(asked, real, self.links.follow(real or path, folder=folder, last=last))

    def _linked(self, record: Record, paths: list[str], folder: str) -> None:
        """A link was made, or a path is gone and with it a link that lay there."""
        place = self.links.follow(paths[-1], folder=folder, last=False)
        if record.call.kind == "delete":
            self.links.drop(place)
        elif record.call.name.startswith("symlink"):
            self.links.add(place, record.words[0])
        else:
            last = "FOLLOW" in record.flags
            self.links.add(place, self.links.follow(paths[0], folder=folder, last=last))

    def _renamed(self, record: Record, paths: list[str], folder: str) -> None:
        ends = [self.links.follow(p, folder=folder, last=False) for p in (paths[0], paths[-1])]
        for mode, path, end in zip(("from", "to"), (paths[0], paths[-1]), ends, strict=True):
            for way in distinct(normal(path), end):
                self._add(record, "rename", way, mode)
        if record.value == 0:
            self.links.move(*ends)
            mixed = record.error or "EXCHANGE" in record.flags
            self.links.unclear |= bool(mixed and self.links.to)

    def _began(self, pid: str, record: Record, ways: tuple[str, ...]) -> None:
        """An exec; until it has succeeded once, the leader's is how the program itself is begun."""
        own = pid == self.starting
        for way in ways[:1] if own else ways:
            self._add(record, "start" if own else "exec", way, " ".join(record.words))
        if own and record.value == 0 and not record.error:
            self.started, self.starting = True, ""
