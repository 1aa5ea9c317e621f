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
    a address  m mode  f flag  = result  ! name of an error  i number of a file of several names
    > where a path of the call, or the descriptor returned, really lies: by what the watcher holds

A call without a result is not over; a line `end`, with the process that began it, has its result.

Events have absolute paths:

    kind     target                          mode
    open     the path as asked for; and      r, w or rw, also where the open failed
             again where it really lies
    write    a path made or changed          the call: mkdir, symlink, chmod, bind, ...
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
and interpreters do for themselves stays in; it lies below /usr, /lib and /etc/ld.so.*. A path as
asked for and the real one are told wherever they differ, but for programs of the system; so is the
first name of a file that got another by a link.
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

from kit.core.errors import KitError
from kit.core.paths import cache_root as cache_folder
from kit.core.paths import make_readable, replace_whole
from kit.core.records import UNKNOWN, Event
from kit.sandbox.base import text_of
from kit.sandbox.syscalls import CALLS, CLONE, Syscall

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
BROKEN_OFF = "the trace breaks off"
# Records of no system call: a process ended by itself, or by a signal; something was shown in part.
_OTHERS = {name: Syscall(name, -1, name) for name in ("exited", "killed", "cut")}
_OTHERS["clone"] = Syscall("clone", CLONE, "refused")  # with flags that no program of a box may set
_MARKED = re.compile(rf"^\d+\tf?access(?:at2?)?\t(?:[^\n]*\t)?p(?:{MARK}|{START})\t", re.M)
_STARTED = re.compile(r"^(\d+)\texecve\t", re.M)
_SYSTEM = ("/usr/", "/bin/", "/sbin/", "/lib/", "/lib64/")


@dataclass(frozen=True)
class Programs:
    """Descriptors of the programs in memory, to be started as /proc/self/fd/N; and their stamp."""

    watch: int
    shim: int
    identity: str


@cache
def find_shipped_programs() -> dict[str, Path]:
    """The programs that a wheel brought, compiled from these very sources; none in a checkout."""
    end = f"{platform.machine()}-{_hash_sources()}"
    places = {name: SOURCES / f"{name}-{end}" for name in NAMES}
    return places if all(place.is_file() for place in places.values()) else {}


def _hash_sources() -> str:
    texts = b"\0".join((SOURCES / f"{name}.c").read_bytes() for name in NAMES)
    return hashlib.sha256(texts).hexdigest()[:12]


def check_requirements(release: str = platform.release(), compiler: str = COMPILER) -> str:
    """ "" where calls can be watched by notification, else the sentence that says why not."""
    known = re.match(r"(\d+)\.(\d+)", release)
    if not known or (int(known[1]), int(known[2])) < KERNEL:
        return f"it needs Linux {KERNEL[0]}.{KERNEL[1]}, this is {release}"
    if not find_shipped_programs() and not os.access(compiler, os.X_OK):
        return f"{compiler} not found; type: apt-get install gcc libc6-dev"
    return ""


def check_programs() -> str:
    """ "" where the watcher is there or could be made now, else the sentence that says why not."""
    try:
        load_programs()
    except KitError as error:
        return str(error)
    return ""


@cache
def load_programs() -> Programs:
    """Both programs, compiled where no earlier run did; KitError with the compiler's message."""
    if reason := check_requirements():
        raise KitError(f"No watcher can be made: {reason}.")
    version = (
        ""
        if find_shipped_programs()
        else subprocess.run(
            [COMPILER, "--version"], capture_output=True, text=True, check=True
        ).stdout
    )
    made_by = f"{version}\0{' '.join(FLAGS)}\0{_hash_sources()}"
    key = hashlib.sha256(made_by.encode()).hexdigest()[:16]
    fds = []
    for name in NAMES:
        place = find_shipped_programs().get(name) or cache_folder() / "watcher" / key / name
        data = place.read_bytes() if place.exists() else _compile_program(name, place)
        # In sealed memory it runs for any user, shows no path, and cannot be changed.
        fd = os.memfd_create(name, os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.write(fd, data)
        fcntl.fcntl(fd, ADD_SEALS, SEALS)
        fds.append(fd)
    watch, shim = fds
    return Programs(watch, shim, f"seccomp notification {_hash_sources()}")


def _compile_program(name: str, place: Path) -> bytes:
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

    call: Syscall
    paths: tuple[str, ...] = ()  # dots and all; relative where the folder is not known, or ""
    folder: str = ""  # the working folder, where that is known
    file: str = ""  # what the first descriptor stands for
    words: tuple[str, ...] = ()  # arguments of an exec, a link's target, a signal
    addresses: tuple[str, ...] = ()  # address:port, unix:path, or family:name
    mode: str = ""  # of an open
    flags: tuple[str, ...] = ()  # NOFOLLOW, FOLLOW, EXCHANGE
    value: int = 0  # what it returned, or a negative errno
    error: str = UNKNOWN  # "" for none; UNKNOWN until its result is known
    real: tuple[str, ...] = ()  # where its paths, or the descriptor that it returned, really lie
    number: str = ""  # of a file that has several names


def parse_records(text: str) -> tuple[str, list[tuple[str, Record]]]:
    """(the process that becomes the program, what processes did since it began); the process is
    "" where none got so far. In the order in which the calls began."""
    if not (first := _STARTED.search(text)):
        return "", []
    mark = _MARKED.search(text, first.start()) if "\tp/kit-" in text else None
    order: list[tuple[str, Record]] = []
    waiting: dict[str, int] = {}
    for line in text[(mark or first).start() :].split("\n")[:-1]:
        pid, _, rest = line.partition("\t")
        if rest.startswith("end\t"):
            began, _, result = rest.removeprefix("end\t").partition("\t")
            if (at := waiting.pop(began, None)) is not None:
                began_as, came = order[at][1], _parse_record("end\t" + result)
                order[at] = (
                    pid,
                    began_as._replace(
                        value=came.value,
                        error=came.error,
                        real=came.real or began_as.real,
                        number=came.number or began_as.number,
                    ),
                )
            continue
        record = _parse_record(rest)
        if record.error == UNKNOWN:
            waiting[pid] = len(order)
        order.append((pid, record))
    return first[1], order


@lru_cache(maxsize=4096)
def _parse_record(text: str) -> Record:
    """A line without its pid. Loaders and interpreters write the same lines in every run."""
    name, *fields = text.split("\t")
    several: dict[str, list[str]] = {letter: [] for letter in "pwsaf>"}
    single = dict.fromkeys("cnmi", "")
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
    paths, words, texts, addresses, flags, real = map(tuple, several.values())
    call = _OTHERS.get(name) or CALLS.get(name, _OTHERS["cut"])
    return Record(
        call,
        paths,
        single["c"],
        single["n"],
        words + texts,
        addresses,
        single["m"],
        flags,
        value,
        error,
        real,
        single["i"],
    )


def normalize_path(path: str) -> str:
    """An absolute path without dots; a link before a `..` is not looked at."""
    if "/." in path or "//" in path or path.endswith("/"):
        path = posixpath.normpath(path)
    return path[1:] if path.startswith("//") else path


def distinct_paths(*paths: str) -> tuple[str, ...]:
    """Each of several ways to write a path, once; a descriptor of no file gives none."""
    return tuple(dict.fromkeys(p for p in paths if p.startswith("/")))


def paths_of(record: Record) -> list[str]:
    """The absolute paths that a call is about, dots and all; none where it names none."""
    asked = (record.file,) if record.call.reads == "fd" else record.paths
    folder = record.folder or "/box"
    return [p if p[:1] in ("/", "") else f"{folder}/{p}" for p in asked] if any(asked) else []


def ways_of(record: Record, at: int, first: str = "") -> tuple[str, ...]:
    """A path of a call as asked for, where it really lies, and the first name of the file."""
    path = paths_of(record)[at]
    asked, real = (
        normalize_path(path),
        normalize_path("".join(record.real[at : at + 1] or record.real[-1:])),
    )
    if record.call.kind == "exec" and path == asked and asked.startswith(_SYSTEM):
        real = real if not real.startswith(_SYSTEM) else ""
    return distinct_paths(asked, real, first)


def event_of(record: Record, kind: str, target: str, mode: str = "") -> Event:
    return Event(kind, target, mode, record.value, record.error)


@lru_cache(maxsize=4096)
def changes_of(record: Record, first: str) -> tuple[Event, ...]:
    """The events of a call on a file. Loaders and interpreters make the same in every run."""
    if not (paths := paths_of(record)):
        return ()
    kind, last = record.call.kind, len(paths) - 1
    modes = {last if record.call.reads == "made" else 0: record.mode or record.call.name}
    if kind == "rename":
        modes = {0: "from", last: "to"}
    events: list[Event] = []
    for at, mode in modes.items():
        events += [event_of(record, kind, way, mode) for way in ways_of(record, at, first)]
    return tuple(events)


class ParsedTrace:
    """The events since MARK was touched, else since the first exec of `leader`; how it ended.

    leader: the process that becomes the program, "" where no process got so far.
    """

    def __init__(self, text: str = "") -> None:
        self.leader, calls = parse_records(text)
        self.starting = self.leader  # whose next exec is `start`
        self.first: dict[str, str] = {}  # number of a file -> its name before it got another
        self.bound: set[str] = set()
        self.events: list[Event] = []
        self.marked = self.cut = False
        self.started = False  # whether the program was found and began
        self.ended = False  # whether the program's end is in the trace
        self.signal = ""  # that killed the program, "" where none did
        for pid, record in calls:
            self._add_record(pid, record)

    def gaps(self, *, capped: bool, whole: bool) -> tuple[str, ...]:
        """Why the events may lack some.

        capped: the trace met its cap. whole: the run ended by itself.
        """
        broken_off = whole and self.started and not self.ended and not capped
        reasons = {CAPPED: capped, BROKEN_OFF: broken_off, CUT: self.cut}
        return tuple(reason for reason, holds in reasons.items() if holds)

    def _add_record(self, pid: str, record: Record) -> None:
        """One call, or one thing that happened to a process."""
        kind, first = record.call.kind, self.first.get(record.number, "")
        if kind in ("open", "write", "delete", "rename"):
            self.events += changes_of(record, first)
            if record.call.reads == "made" and record.value == 0 and record.number and record.real:
                self.first.setdefault(record.number, normalize_path(record.real[0]))
        elif kind in ("exited", "killed"):
            signal = "".join(record.words)
            if pid == self.leader:
                self.ended, self.signal = True, signal
            if signal and (pid == self.leader or signal != "SIGKILL"):
                self.events.append(Event("signal", signal))
        elif kind == "cut":
            self.cut = True
        elif record.call.reads == "address":
            self.events += [event_of(record, kind, address) for address in record.addresses]
            if kind == "bind" and record.value == 0:
                self.bound.add(record.file)
            for way in ways_of(record, 0) if any(record.paths) else ():  # a UNIX socket's file
                self.events.append(event_of(record, "write", way, "bind"))
        elif kind == "refused":
            self.events.append(event_of(record, "refused", record.call.name))
        elif kind == "listen":
            if record.file and record.file not in self.bound:
                self.events.append(event_of(record, "bind", "*:0"))
        elif paths := paths_of(record):
            self._on_path(pid, record, paths[0], ways_of(record, 0, first))

    def _on_path(self, pid: str, record: Record, path: str, ways: tuple[str, ...]) -> None:
        """A mark of the harness, or a program that starts."""
        if record.call.kind == "mark":
            if not self.marked and path in (MARK, START):  # what came before was the harness's
                self.marked = self.started = True
                self.starting = pid if path == START else ""
                self.events.clear()
        elif record.call.kind == "exec":
            # Until it has succeeded once, an exec of this process begins the program itself.
            own = pid == self.starting
            for way in ways[:1] if own else ways:
                words = " ".join(record.words)
                self.events.append(event_of(record, "start" if own else "exec", way, words))
            if own and record.value == 0 and not record.error:
                self.started, self.starting = True, ""
