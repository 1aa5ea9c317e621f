"""What a program did: the lines of strace become Events with absolute paths.

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
    refused  the name of a call that no     (not under strace, which is not asked)
             program of a box may make
    signal   the name of one that killed the program or one of its processes

Which calls make them stands in calls.py. What loaders and interpreters do for themselves stays in;
it lies below /usr, /lib and /etc/ld.so.*.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from kit.records import Event
from kit.sandbox.lines import Line, joined, line_of, opening, ways
from kit.sandbox.links import Links, normal

MARK = "/kit-begin"  # touched: what came before was the harness's
START = "/kit-start"  # the same, and the next program of this process is the one that is meant

_NEWPID = re.compile(r"^(\d+) +clone\(.*CLONE_NEWPID.*(?: = (\d+)| <unfinished \.\.\.>)$", re.M)
_FORKED = re.compile(r"^(\d+) +(?:clone3?\(|v?fork\(|<\.\.\. (?:clone3?|v?fork) ).* = (\d+)$", re.M)
_PIDS = re.compile(r"^\d+", re.M)
_STATE = re.compile(r"^\d+ +(?:<\.\.\. )?(?:clone|v?fork|f?chdir).*\n", re.M)
_EXEC = re.compile(r"^(\d+) +execve\(", re.M)
_CUT = re.compile(r"\0\.\.\.|, \.\.\.")  # a text, a list of which strace showed a part
_MARKED = re.compile(rf'access(?:at2?)?\([^"\n]*"(?:{MARK}|{START})"')
CAPPED = "more system calls than the trace may hold"
CUT = "a call was shown in part"
UNCLEAR = "a path could not be followed, through a descriptor or too many links"
BROKEN_OFF = "the trace breaks off"


def _init(text: str) -> tuple[int, int]:
    """(pid of the init of the box, where its story starts); 0 where bwrap never got so far."""
    if not (found := _NEWPID.search(text)):
        return 0, 0
    if found[2]:
        return int(found[2]), found.end()
    resumed = re.compile(rf"^{found[1]} +<\.\.\. clone resumed>.* = (\d+)$", re.M)
    late = resumed.search(text, found.end())
    return (int(late[1]), found.end()) if late else (0, 0)


def children_of(text: str, init: int) -> dict[int, str]:
    """Process number inside the box -> outside: both count processes in the order of their birth.

    A fork tells the number inside, a line begins with that outside. strace can translate, but it
    reads all of /proc to do so, which costs more than the rest of the run.
    """
    if not init:  # traced from within: both are the same
        return {int(child): child for child in _PIDS.findall(text)}
    forks = (m.groups() for m in _FORKED.finditer(text))
    inside = sorted({1, *(int(child) for pid, child in forks if int(pid) >= init)})
    outside = sorted(pid for pid in {int(p) for p in _PIDS.findall(text)} if pid >= init)
    return {number: str(pid) for number, pid in zip(inside, outside, strict=False)}


class Trace:
    """Follows each process's working folder and turns its calls into Events.

    leader: the process that the program is to be; its next exec is `start`.
    """

    def __init__(self, *, leader: str, children: Mapping[int, str]) -> None:
        self.leader, self.starting, self.children = leader, leader, children
        self.folders: dict[str, list[str]] = {}
        self.links = Links()
        self.bound: set[str] = set()
        self.events: list[Event] = []
        self.begun = self.started = self.ended = False
        self.signal = ""
        self.cut = self.yields = False

    def feed(self, pid: str, text: str) -> None:
        """One call, or one line about a process."""
        if (quick := opening(text)) and not self.links.matter(quick[1]):
            if quick[0]:
                self._folder(pid)[0] = quick[0]
            self.events += quick[2]
            return
        if text.startswith("+++ "):
            self._gone(pid, text)
            return
        self.cut = self.cut or text == "--- cut ---"
        self.yields = self.yields or text == "--- yields ---"
        if not (line := line_of(text)):
            return
        folder = self._folder(pid)
        if line.call.kind == "fork":
            if line.error == "EPERM":  # with flags that no program of a box may set
                self._add(line, "refused", "clone")
            if (child := self.children.get(line.value)) is not None:  # a thread shares its folder
                shared = folder if "CLONE_FS" in line.args else list(folder)
                self.folders.setdefault(child, shared)
        elif line.call.reads == "address":
            self._met(line)
        elif line.call.kind == "refused":
            self._add(line, "refused", line.call.name)
        elif paths := line.paths(folder):
            self._deed(pid, line, paths)

    def _folder(self, pid: str) -> list[str]:
        return self.folders.setdefault(pid, ["/box"])

    def _gone(self, pid: str, text: str) -> None:
        """A process ended."""
        _, killed, rest = text.partition("+++ killed by ")
        signal = rest.partition(" ")[0] if killed else ""
        if pid == self.leader:
            self.ended, self.signal = True, signal
        if signal and (pid == self.leader or signal != "SIGKILL"):
            self.events.append(Event("signal", signal))

    def _marked(self, pid: str, path: str) -> None:
        """What came before was the harness's."""
        if not self.begun and path in (MARK, START):
            self.begun = True
            self.starting = pid if path == START else ""
            self.events.clear()

    def _met(self, line: Line) -> None:
        """Addresses that a call names."""
        self.cut = self.cut or "}, ..." in line.mask
        for address in line.addresses():
            self._add(line, line.call.kind, address)
        if line.call.kind == "bind" and line.value == 0:
            self.bound.add(line.descriptor)

    def _add(self, line: Line, kind: str, target: str, mode: str = "") -> None:
        self.events.append(Event(kind, target, mode, line.value, line.error))

    def _deed(self, pid: str, line: Line, paths: list[str]) -> None:
        """A call on a path, or on the file or socket behind a descriptor."""
        kind, folder = line.call.kind, self._folder(pid)
        if kind == "mark":
            self._marked(pid, paths[0])
        elif kind == "listen":
            if line.descriptor not in self.bound:
                self._add(line, "bind", "*:0")
        elif kind == "folder":
            if line.value == 0:
                folder[0] = self.links.follow(paths[0], folder=folder[0], last=True)
        elif kind == "rename":
            self._renamed(line, paths, folder[0])
        elif kind == "exec":
            self._began(pid, line, self._ways(paths[0], folder[0], line))
        else:
            for way in self._ways(paths[-1 if line.makes else 0], folder[0], line):
                self._add(line, kind, way, line.mode if kind == "open" else line.call.name)
            if line.value == 0 and (line.makes or kind == "delete" and not line.error):
                self._linked(line, paths, folder[0])

    def _ways(self, path: str, folder: str, line: Line) -> tuple[str, ...]:
        """The path as asked for, what was opened, and where links lead from there."""
        asked, real = normal(path), line.real
        if not self.links.matter(real or asked):
            return ways(asked, real)
        last = line.call.reads == "leads" and "NOFOLLOW" not in line.mask
        return ways(asked, real, self.links.follow(real or path, folder=folder, last=last))

    def _linked(self, line: Line, paths: list[str], folder: str) -> None:
        """A link was made, or a path is gone and with it a link that lay there."""
        place = self.links.follow(paths[-1], folder=folder, last=False)
        if line.call.kind == "delete":
            self.links.drop(place)
        elif line.call.name.startswith("symlink"):
            self.links.add(place, line.strings()[0])
        else:
            last = "AT_SYMLINK_FOLLOW" in line.mask
            self.links.add(place, self.links.follow(paths[0], folder=folder, last=last))

    def _renamed(self, line: Line, paths: list[str], folder: str) -> None:
        ends = [self.links.follow(p, folder=folder, last=False) for p in (paths[0], paths[-1])]
        for mode, path, end in zip(("from", "to"), (paths[0], paths[-1]), ends, strict=True):
            for way in ways(normal(path), end):
                self._add(line, "rename", way, mode)
        if line.value == 0:
            self.links.move(*ends)
            mixed = line.error or "RENAME_EXCHANGE" in line.mask
            self.links.unclear |= bool(mixed and self.links.to)

    def _began(self, pid: str, line: Line, found: tuple[str, ...]) -> None:
        """An exec; until it has succeeded once, the leader's is how the program itself is begun."""
        self.cut = self.cut or _CUT.search(line.mask) is not None
        own = pid == self.starting
        for way in found[:1] if own else found:
            self._add(line, "start" if own else "exec", way, " ".join(line.strings()[1:]))
        if own and line.value == 0 and not line.error:
            self.started, self.starting = True, ""


@dataclass(frozen=True)
class Story:
    """What the trace of one run tells."""

    events: tuple[Event, ...] = ()
    signal: str = ""  # that killed the program, "" where none did
    started: bool = False  # whether the program was found and began
    lost: tuple[str, ...] = ()  # why something that it did may be missing
    ended: bool = False  # whether the program's end was seen
    yields: bool = False  # whether it lowered its own priority, or may have


def gaps(story: Story, *, capped: bool, whole: bool) -> tuple[str, ...]:
    """Why a traced run's events may lack some.

    capped: the trace met its cap. whole: the run came to an end of its own.
    """
    cut = (
        (CAPPED,)
        if capped
        else (BROKEN_OFF,)
        if whole and story.started and not story.ended
        else ()
    )
    return (*cut, *story.lost)


def read_trace(text: str, *, wrappers: int = 0) -> Story:
    """The events since the program began: where MARK is touched, else with its first exec.

    wrappers: execs of our own that come first.
    """
    init, after = _init(text)
    execs = [m for m in _EXEC.finditer(text, after) if int(m[1]) >= init]
    if len(execs) <= wrappers or not (init or wrappers):
        return Story()
    first = execs[wrappers]
    trace = Trace(leader=first[1], children=children_of(text, init))
    mark = _MARKED.search(text, first.start())
    start = text.rfind("\n", 0, mark.start()) + 1 if mark else first.start()
    for pid, call in joined(_STATE.findall(text, after, start)):
        trace.feed(pid, call.rstrip("\n"))
    for pid, call in joined(text[start:].split("\n")):
        trace.feed(pid, call)
    told = {CUT: trace.cut, UNCLEAR: trace.links.unclear}
    lost = tuple(why for why, is_so in told.items() if is_so)
    begun = trace.begun or trace.started
    return Story(tuple(trace.events), trace.signal, begun, lost, trace.ended, trace.yields)
