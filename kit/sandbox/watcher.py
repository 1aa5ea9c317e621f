"""The watcher of a box and the first program in it: C sources of ours, compiled once a machine; and
what the watcher writes, as Records.

native/watch.c sees the calls of a box by seccomp notification, and does the deed where that can be
raced; native/shim.c installs the filter in the box, of which it is process 1. kit/docs/watched.md
says for each call who carries it out, what could still be raced, and what signals may do.

* Forks take no room in the trace: a bomb of them meets its deadline, not the cap of the trace.
* A folder whose path is longer than 4096 bytes has no name that the kernel would tell: it is /...
  and the run lacks a part.
* A call that a signal broke off is told as an attempt of which nobody knows what came.
* What is done through /proc is told by its own path, too.
* Families of addresses for which no box has a socket are told by their number.

A line of the trace is a process, a call, and fields with tabs between them:

    c folder  p path  n file behind the first descriptor  s link's target, signal  w word of an exec
    a address  m mode  f flag  = result  ! name of an error  > path behind the descriptor returned

A call without a result goes on; `end`, with the process that began it, brings what came of it.
"""

import contextlib
import fcntl
import hashlib
import os
import platform
import re
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from kit.errors import KitError
from kit.paths import cache as cache_folder
from kit.paths import replace_whole
from kit.records import UNKNOWN
from kit.sandbox.events import EXITED, KILLED, MARK, PART, START, YIELDS, Record, failure
from kit.sandbox.syscalls import CALLS, CLONE, Call

COMPILER = "/usr/bin/cc"
FLAGS = ("-O2", "-static", "-Wall", "-Wextra")  # a warning is no error: others warn of more
SOURCES = Path(__file__).with_name("native")
NAMES = ("watch", "shim")
KERNEL = (5, 14)  # the first in which a descriptor is handed over and the call answered at once
SEALS = 0x0F  # of fcntl: no one writes, grows or shrinks it, or takes the seals off
ADD_SEALS = 1033
_MARKED = re.compile(rf"^\d+\tf?access(?:at2?)?\t(?:[^\n]*\t)?p(?:{MARK}|{START})\t", re.M)
_STARTED = re.compile(r"^(\d+)\texecve\t", re.M)
_CLONE = Call("clone", CLONE, "refused")  # with flags that no program of a box may set
_OTHERS = {"clone": _CLONE, "exited": EXITED, "killed": KILLED, "cut": PART, "yields": YIELDS}


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
    """Both, compiled if this machine has not yet; KitError with what the compiler said."""
    if reason := missing():
        raise KitError(f"No watcher can be made: {reason}.")
    if ready := shipped():
        parts = [ready[name].read_bytes() for name in NAMES]
    else:
        version = subprocess.run(
            [COMPILER, "--version"], capture_output=True, text=True, check=True
        )
        made_by = f"{version.stdout}\0{' '.join(FLAGS)}\0{_digest()}"
        key = hashlib.sha256(made_by.encode()).hexdigest()[:16]
        parts = [_compiled(name, key) for name in NAMES]
    watch, shim = (_held(name, data) for name, data in zip(NAMES, parts, strict=True))
    return Programs(watch, shim, f"seccomp notification {_digest()}")


def _compiled(name: str, key: str) -> bytes:
    """The program from the cache, or made now."""
    place = cache_folder() / "watcher" / key / name
    if place.exists():
        return place.read_bytes()
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
        place.parent.mkdir(parents=True, exist_ok=True)
        replace_whole(place, data)
    return data


def _held(name: str, data: bytes) -> int:
    """The program in sealed memory: it runs for any user, shows no path, and cannot be changed."""
    fd = os.memfd_create(name, os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.write(fd, data)
    fcntl.fcntl(fd, ADD_SEALS, SEALS)
    return fd


def records(text: str) -> tuple[str, list[tuple[str, Record]]]:
    """(the process that the program is to be, what processes did since it began); the process is
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
        letter, content = field[0], _text(field[1:])
        if letter in several:
            several[letter].append(content)
        elif letter in single:
            single[letter] = content
        elif letter == "=":
            value, error = int(content), ""
        else:
            value, error = failure(content)
    paths, words, texts, addresses, flags = map(tuple, several.values())
    call = _OTHERS.get(name) or CALLS.get(name, PART)
    return Record(call, paths, single["c"], single["n"], words + texts, addresses, single["m"],
                  flags, value, error, single[">"])  # fmt: skip


def _text(field: str) -> str:
    """What a field stands for; bytes that are not UTF-8 become \\xNN."""
    if "\\" not in field:
        return field
    return (
        field.encode().decode("unicode_escape").encode("latin-1").decode(errors="backslashreplace")
    )
