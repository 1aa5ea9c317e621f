"""The watcher of a box: its programs, the trace that it writes, and the Events read from it.

native/watch.c sees the calls of a box by seccomp notification, and carries out those that could be
raced; native/shim.c, process 1 of the box, installs the filter there. kit/docs/watched.md says for
each call who carries it out, what could still be raced, and what signals may do.

* Forks take no room in the trace: a fork bomb meets its deadline, not the cap of the trace.
* The kernel tells no name of a folder whose path is longer than 4096 bytes: it becomes /..., and
  the run lacks a part.
* A call that a signal interrupted is an attempt with an unknown result.
* What is done through /proc appears under that path too.
* Families of addresses for which no box has a socket appear by their number.

A line of the trace is a process, a call, and fields with tabs between them:

    c folder  p path  n file behind the first descriptor  s link's target, signal  w word of an exec
    a address  m mode  f flag  = result  ! name of an error  > path behind the descriptor returned

A call without a result is not over; a line `end`, with the process that began it, has its result.

Events have absolute paths:

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

syscalls.py lists the calls that make them; Record, what the watcher shows of a call. What loaders
and interpreters do for themselves stays in; it lies below /usr, /lib and /etc/ld.so.*.
"""

import contextlib
import errno
import fcntl
import hashlib
import os
import platform
import posixpath
import re
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from kit.errors import KitError
from kit.paths import cache as cache_folder
from kit.paths import make_readable, replace_whole
from kit.records import UNKNOWN, Event
from kit.sandbox.base import text_of
from kit.sandbox.syscalls import CALLS, CLONE, Call

COMPILER = "/usr/bin/cc"
FLAGS = ("-O2", "-static", "-Wall", "-Wextra")  # a warning is no error: others warn of more
SOURCES = Path(__file__).with_name("native")
NAMES = ("watch", "shim")
KERNEL = (5, 14)  # the first in which a descriptor is handed over and the call answered at once
SEALS = 0x0F  # of fcntl: no one writes, grows or shrinks it, or takes the seals off
ADD_SEALS = 1033
MARK = "/kit-begin"  # touched: what came before was the harness's
START = "/kit-start"  # the same, and the next program of this process is the one that is meant
CAPPED = "more system calls than the trace may hold"
CUT = "a call was shown in part"
UNCLEAR = "a path could not be followed, through a descriptor or too many links"
BROKEN_OFF = "the trace breaks off"
# Records of no system call: a process ended by itself, or by a signal; something was shown in part;
# a process lowered its own priority, or may have.
EXITED, KILLED, PART, YIELDS = (Call(n, -1, n) for n in ("exited", "killed", "cut", "yields"))
_CLONE = Call("clone", CLONE, "refused")  # with flags that no program of a box may set
_OTHERS = {"clone": _CLONE, "exited": EXITED, "killed": KILLED, "cut": PART, "yields": YIELDS}
_MARKED = re.compile(rf"^\d+\tf?access(?:at2?)?\t(?:[^\n]*\t)?p(?:{MARK}|{START})\t", re.M)
_STARTED = re.compile(r"^(\d+)\texecve\t", re.M)
_HOPS = 40
_STEPS = 100_000  # parts of paths that are looked at for one run
_LONGEST = 8192
_PROCESS = re.compile(r"/proc/(?:self|thread-self|\d+)(?:/task/\d+)?/(?:(root)|(cwd)|fd/\d+)")
_OWN = re.compile(r"/proc/(?:self|thread-self)/")


@dataclass(frozen=True)
class Programs:
    """Descriptors of the programs in memory, to be started as /proc/self/fd/N; and their stamp."""

    watch: int
    shim: int
    identity: str


@cache
def shipped() -> dict[str, Path]:
    """The programs that a wheel brought, compiled from these very sources; none in a checkout."""
    end = f"{platform.machine()}-{_digest()}"
    places = {name: SOURCES / f"{name}-{end}" for name in NAMES}
    return places if all(place.is_file() for place in places.values()) else {}


def _digest() -> str:
    texts = b"\0".join((SOURCES / f"{name}.c").read_bytes() for name in NAMES)
    return hashlib.sha256(texts).hexdigest()[:12]


def missing(release: str = platform.release(), compiler: str = COMPILER) -> str:
    """ "" where calls can be watched by notification, else the sentence that says why not."""
    known = re.match(r"(\d+)\.(\d+)", release)
    if not known or (int(known[1]), int(known[2])) < KERNEL:
        return f"it needs Linux {KERNEL[0]}.{KERNEL[1]}, this is {release}"
    if not shipped() and not os.access(compiler, os.X_OK):
        return f"{compiler} not found; type: apt-get install gcc libc6-dev"
    return ""


def lacking() -> str:
    """ "" where the watcher is there or could be made now, else the sentence that says why not."""
    try:
        programs()
    except KitError as error:
        return str(error)
    return ""


@cache
def programs() -> Programs:
    """Both programs, compiled where no earlier run did; KitError with the compiler's message."""
    if reason := missing():
        raise KitError(f"No watcher can be made: {reason}.")
    version = "" if shipped() else subprocess.run(
        [COMPILER, "--version"], capture_output=True, text=True, check=True
    ).stdout  # fmt: skip
    made_by = f"{version}\0{' '.join(FLAGS)}\0{_digest()}"
    key = hashlib.sha256(made_by.encode()).hexdigest()[:16]
    fds = []
    for name in NAMES:
        place = shipped().get(name) or cache_folder() / "watcher" / key / name
        data = place.read_bytes() if place.exists() else _compiled(name, place)
        # In sealed memory it runs for any user, shows no path, and cannot be changed.
        fd = os.memfd_create(name, os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.write(fd, data)
        fcntl.fcntl(fd, ADD_SEALS, SEALS)
        fds.append(fd)
    watch, shim = fds
    return Programs(watch, shim, f"seccomp notification {_digest()}")


def _compiled(name: str, place: Path) -> bytes:
    """The program, compiled now and kept at `place`."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, name)
        line = [COMPILER, *FLAGS, "-o", str(program), str(SOURCES / f"{name}.c")]
        done = subprocess.run(line, capture_output=True, text=True, check=False)
        if done.returncode:
            raise KitError(
                f"The watcher of the sandbox does not compile: {done.stderr.strip()[-400:]}. "
                "Type: apt-get install gcc libc6-dev"
            )
        data = program.read_bytes()
    with contextlib.suppress(OSError):  # without a cache it is made again the next time
        make_readable(place.parent)
        replace_whole(place, data)
    return data


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
    error: str = UNKNOWN  # "" for none; UNKNOWN until its result is known
    real: str = ""  # the path behind the descriptor that it returned


def records(text: str) -> tuple[str, list[tuple[str, Record]]]:
    """(the process that becomes the program, what processes did since it began); the process is
    "" where none got so far. In the order in which the calls began."""
    if not (first := _STARTED.search(text)):
        return "", []
    mark = _MARKED.search(text, first.start())
    order: list[tuple[str, Record]] = []
    waiting: dict[str, int] = {}
    for line in text[(mark or first).start() :].split("\n")[:-1]:
        pid, _, rest = line.partition("\t")
        if rest.startswith("end\t"):
            began, _, result = rest.removeprefix("end\t").partition("\t")
            if (at := waiting.pop(began, None)) is not None:
                came = _record("end\t" + result)
                order[at] = (pid, order[at][1]._replace(value=came.value, error=came.error,
                                                        real=came.real))  # fmt: skip
            continue
        record = _record(rest)
        if record.error == UNKNOWN:
            waiting[pid] = len(order)
        order.append((pid, record))
    return first[1], order


@lru_cache(maxsize=4096)
def _record(text: str) -> Record:
    """A line without its pid. Loaders and interpreters write the same lines in every run."""
    name, *fields = text.split("\t")
    several: dict[str, list[str]] = {letter: [] for letter in "pwsaf"}
    single = dict.fromkeys("cnm>", "")
    value, error = 0, UNKNOWN if name in CALLS else ""
    for field in fields:
        letter, content = field[0], field[1:]
        if "\\" in content:
            content = text_of(content.encode().decode("unicode_escape").encode("latin-1"))
        if letter in several:
            several[letter].append(content)
        elif letter in single:
            single[letter] = content
        elif letter == "=":
            value, error = int(content), ""
        else:
            value, error = -getattr(errno, content, 1), content
    paths, words, texts, addresses, flags = map(tuple, several.values())
    call = _OTHERS.get(name) or CALLS.get(name, PART)
    return Record(call, paths, single["c"], single["n"], words + texts, addresses, single["m"],
                  flags, value, error, single[">"])  # fmt: skip


class Symlinks:
    """Symbolic and hard links that a program made, by their place, followed as the kernel would.

    `unclear`: one was met that cannot be followed.
    """

    def __init__(self) -> None:
        self.to: dict[str, str] = {}
        self.unclear = False
        self.steps = 0

    def add(self, place: str, target: str) -> None:
        """A link at `place`; a relative target starts from the folder of `place`."""
        self.to[place] = target if target[:1] == "/" else f"{posixpath.dirname(place)}/{target}"

    def move(self, old: str, new: str) -> None:
        """What lies at or below `old` lies at or below `new`."""
        self.to.pop(new, None)
        for place in [p for p in self.to if p == old or p.startswith(old + "/")]:
            self.to[new + place[len(old) :]] = self.to.pop(place)

    def matter(self, path: str) -> bool:
        """Whether a path may lead elsewhere than its text says."""
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
    """Each of several ways to write a path, once; a descriptor of no file gives none."""
    return tuple(dict.fromkeys(p for p in paths if p.startswith("/")))


class ParsedTrace:
    """The events since MARK was touched, else since the first exec of `leader`; how it ended.

    Follows the links that the program makes. leader: the process that becomes the program, "" where
    no process got so far.
    """

    def __init__(self, text: str = "") -> None:
        self.leader, calls = records(text)
        self.starting = self.leader  # whose next exec is `start`
        self.links = Symlinks()
        self.bound: set[str] = set()
        self.events: list[Event] = []
        self.marked = self.cut = False
        self.started = False  # whether the program was found and began
        self.ended = False  # whether the program's end is in the trace
        self.signal = ""  # that killed the program, "" where none did
        self.yields = False  # whether it lowered its own priority, or may have
        for pid, record in calls:
            self._feed(pid, record)

    def gaps(self, *, capped: bool, whole: bool) -> tuple[str, ...]:
        """Why the events may lack some.

        capped: the trace met its cap. whole: the run ended by itself.
        """
        broken_off = whole and self.started and not self.ended and not capped
        reasons = {CAPPED: capped, BROKEN_OFF: broken_off, CUT: self.cut,
                   UNCLEAR: self.links.unclear}  # fmt: skip
        return tuple(reason for reason, holds in reasons.items() if holds)

    def _feed(self, pid: str, record: Record) -> None:
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
            for address in record.addresses:
                self._add(record, kind, address)
            if kind == "bind" and record.value == 0:
                self.bound.add(record.file)
        elif kind == "refused":
            self._add(record, "refused", record.call.name)
        elif kind == "listen":
            if record.file and record.file not in self.bound:
                self._add(record, "bind", "*:0")
        else:
            asked = (record.file,) if record.call.reads == "fd" else record.paths
            paths = [p if p[:1] in ("/", "") else f"{folder}/{p}" for p in asked]
            if any(asked) or len(asked) > 1:
                self._on_path(pid, record, paths, folder)

    def _add(self, record: Record, kind: str, target: str, mode: str = "") -> None:
        self.events.append(Event(kind, target, mode, record.value, record.error))

    def _on_path(self, pid: str, record: Record, paths: list[str], folder: str) -> None:
        """A call on a path, or on the file behind a descriptor."""
        kind, makes = record.call.kind, record.call.reads == "made"
        if kind == "mark":
            if not self.marked and paths[0] in (MARK, START):  # what came before was the harness's
                self.marked = self.started = True
                self.starting = pid if paths[0] == START else ""
                self.events.clear()
        elif kind == "rename":
            self._renamed(record, paths, folder)
        elif kind == "exec":
            # Until it has succeeded once, an exec of this process begins the program itself.
            own, ways = pid == self.starting, self._ways(paths[0], folder, record)
            for way in ways[:1] if own else ways:
                self._add(record, "start" if own else "exec", way, " ".join(record.words))
            if own and record.value == 0 and not record.error:
                self.started, self.starting = True, ""
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
            self.links.to.pop(place, None)
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
