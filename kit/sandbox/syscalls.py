"""What a program did: the lines of strace become Events with absolute paths.

    kind     target                          mode
    open     the path as asked for; and      r, w or rw, also where the open failed
             again where a link led to
    write    a path made or changed          the call: mkdir, symlink, chmod, truncate, ...
    delete   a path                          the call: unlink, rmdir, ...
    rename   both paths                      from, to
    connect  address:port, unix:path         (also a datagram sent to an address)
    bind     address:port, unix:path
    exec     the path of the program         the joined arguments
    signal   the name of one that killed the program or one of its processes

What loaders and interpreters do for themselves stays in; it lies below /usr, /lib and /etc/ld.so.*.
"""

import errno
import posixpath
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from kit.records import Event

OPENS = ("open", "openat", "openat2", "creat")
DELETES = ("unlink", "unlinkat", "rmdir")
RENAMES = ("rename", "renameat", "renameat2")
CHANGES = (
    *("mkdir", "mkdirat", "mknod", "mknodat", "truncate"),
    *("chmod", "fchmodat", "chown", "lchown", "fchownat"),
)
LINKS = ("symlink", "symlinkat", "link", "linkat")
NETWORK = ("connect", "bind", "sendto", "sendmsg", "sendmmsg")
EXECS = ("execve", "execveat")
MARKS = ("access", "faccessat", "faccessat2")
FORKS = ("clone", "clone3", "fork", "vfork")
FOLDERS = ("chdir", "fchdir")
TRACED = ",".join(
    (*OPENS, *DELETES, *RENAMES, *CHANGES, *LINKS, *NETWORK, *EXECS, *MARKS, *FORKS, *FOLDERS)
)
MARK = "/kit-begin"

_CALL = re.compile(
    r"(\w+)\((.*)\) += (-?\d+|\?|0x[0-9a-f]+)(?:<(.*?)>(?:\(deleted\))?)?(?: (\w*).*)?$", re.S
)
_OPEN = re.compile(
    r'openat\((AT_FDCWD|\d+)<([^>]*)>, "((?:[^"\\]|\\.)*)", ([A-Z_|]+)(?:, 0\d*)?\)'
    r" += (-?\d+)(?:<(.*?)>(?:\(deleted\))?)?(?: (\w+) .*)?$"
)
_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"(?:\.\.\.)?|(AT_FDCWD|\d+)<([^>]*)>')
_ESCAPE = re.compile(r"\\([0-7]{1,3}|x[0-9a-f]{2}|.)", re.S)
_PLAIN = {"n": "\n", "t": "\t", "r": "\r", "v": "\v", "f": "\f", "a": "\a", "b": "\b"}
_INET = re.compile(r"AF_INET, sin_port=htons\((\d+)\), sin_addr=inet_addr\(\"([^\"]+)\"\)")
_INET6 = re.compile(r"AF_INET6, sin6_port=htons\((\d+)\).*?inet_pton\(AF_INET6, \"([^\"]+)\"", re.S)
_UNIX = re.compile(r"sa_family=AF_UNIX, sun_path=(@?)\"((?:[^\"\\]|\\.)*)\"")
_FAMILY = re.compile(r"\{(?:msg_name=\{)?sa_family=(?:AF_)?(\w+)")
_NEWPID = re.compile(r"^(\d+) +clone\(.*CLONE_NEWPID.*(?: = (\d+)| <unfinished \.\.\.>)$", re.M)
_FORKED = re.compile(r"^(\d+) +(?:clone3?\(|v?fork\(|<\.\.\. (?:clone3?|v?fork) ).* = (\d+)$", re.M)
_PIDS = re.compile(r"^\d+", re.M)
_STATE = re.compile(r"^\d+ +(?:<\.\.\. )?(?:clone|v?fork|f?chdir).*\n", re.M)
_EXEC = re.compile(r"^(\d+) +execve\(", re.M)
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_QUIET = ("UNSPEC", "NETLINK")  # no address that anyone could reach


def unescape(text: str) -> str:
    """A C string of strace as text; bytes that are not UTF-8 become \\xNN."""

    def one(match: re.Match[str]) -> str:
        code = match[1]
        if code[0] in "01234567":
            return chr(int(code, 8) & 255)
        return chr(int(code[1:], 16)) if len(code) == 3 else _PLAIN.get(code, code)

    if "\\" not in text:
        return text
    return _ESCAPE.sub(one, text).encode("latin-1", "replace").decode(errors="backslashreplace")


def absolute(folder: str, path: str) -> str:
    """`path` as a process in `folder` means it, normalised."""
    path = unescape(path)
    if not path.startswith("/"):
        path = f"{folder}/{path}"
    if "/." in path or "//" in path or path.endswith("/"):
        path = posixpath.normpath(path)
    return path[1:] if path.startswith("//") else path


def joined(lines: Iterable[str]) -> list[tuple[str, str]]:
    """(pid, call) in the order in which the calls began, interrupted ones put together again."""
    order: list[tuple[str, str]] = []
    waiting: dict[str, int] = {}
    for line in lines:
        pid, _, text = line.partition(" ")
        text = text.lstrip()
        if text.endswith(" <unfinished ...>"):
            waiting[pid] = len(order)
            order.append((pid, text[: -len(" <unfinished ...>")]))
        elif not text.startswith("<... "):
            order.append((pid, text))
        elif (at := waiting.pop(pid, None)) is not None:
            order[at] = (pid, order[at][1] + text.partition(" resumed>")[2])
    return order


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


@lru_cache(maxsize=4096)
def _opening(text: str) -> tuple[str, str, tuple[Event, ...]] | None:
    """(what AT_FDCWD stands for or "", the path, the events) where the line is a plain openat.

    Loaders and interpreters write the same lines in every run.
    """
    if not (match := _OPEN.match(text)):
        return None
    at, base, path, flags, result, real, error = match.groups()
    base = unescape(base)
    value, error = _result(result or "?", error or "")
    target = absolute(base, path)
    events = _opened(target, _mode(flags), value, error, real)
    return base if at == "AT_FDCWD" else "", target, events


def _opened(target: str, mode: str, value: int, error: str, real: str | None) -> tuple[Event, ...]:
    """The path as asked for, and the one that it led to where a link lay between."""
    asked = Event("open", target, mode, value, error)
    if real and real.startswith("/") and (real := unescape(real)) != target:
        return asked, Event("open", real, mode, value, error)
    return (asked,)


class Trace:
    """Follows each process's working folder and turns its calls into Events."""

    def __init__(self, *, leader: str, children: Mapping[int, str]) -> None:
        self.leader, self.children = leader, children
        self.folders: dict[str, list[str]] = {}
        self.events: list[Event] = []
        self.begun = False
        self.signal = ""

    def feed(self, pid: str, text: str) -> None:
        """One call, or one line about a process."""
        if quick := _opening(text):
            self._open(pid, *quick)
            return
        if text.startswith("+++ killed by "):
            self._died(pid, text.split()[3])
        if not (call := _CALL.match(text)):
            return
        name, args, result, real, error = call.groups()
        value, error = _result(result, error or "")
        folder = self._folder(pid)
        if name in FORKS:
            self._forked(folder, args, value)
            return
        words = _words(folder, args)
        if name in FOLDERS:
            if value == 0 and words:
                folder[0] = words[0]
        elif name in MARKS:
            if words and words[0] == MARK:
                self.begin()
        elif words or name in NETWORK:
            self._event(name, args, words, value, error, real)

    def _folder(self, pid: str) -> list[str]:
        return self.folders.setdefault(pid, ["/box"])

    def _open(self, pid: str, folder: str, target: str, events: tuple[Event, ...]) -> None:
        """The commonest call, on its own way; `folder` is what AT_FDCWD stood for, if it did."""
        if folder:
            self._folder(pid)[0] = folder
        if target == MARK:
            self.begin()
        else:
            self.events += events

    def _died(self, pid: str, signal: str) -> None:
        if pid == self.leader:
            self.signal = signal
        if pid == self.leader or signal != "SIGKILL":
            self.events.append(Event("signal", signal))

    def begin(self) -> None:
        """What came before was the harness's."""
        if not self.begun:
            self.begun = True
            self.events.clear()

    def _forked(self, folder: list[str], args: str, inner: int) -> None:
        """A child starts in the folder of its parent, a thread shares it."""
        if (child := self.children.get(inner)) is not None:
            self.folders.setdefault(child, folder if "CLONE_FS" in args else list(folder))

    def _event(
        self, name: str, args: str, words: list[str], value: int, error: str, real: str | None
    ) -> None:
        add = self.events.append
        if name in EXECS:
            strings = [unescape(m[1]) for m in _TOKEN.finditer(args) if m[1] is not None]
            add(Event("exec", words[0], " ".join(strings[1:]), value, error))
        elif name in NETWORK:
            if target := _address(args):
                add(Event("bind" if name == "bind" else "connect", target, "", value, error))
        elif name in OPENS:
            if words[0] == MARK:
                self.begin()
            else:
                mode = _mode(args, creates=name == "creat")
                self.events += _opened(words[0], mode, value, error, real)
        elif name in DELETES:
            add(Event("delete", words[0], name, value, error))
        elif name in RENAMES:
            add(Event("rename", words[0], "from", value, error))
            add(Event("rename", words[-1], "to", value, error))
        else:
            add(Event("write", words[-1 if name in LINKS else 0], name, value, error))


def _result(result: str, error: str) -> tuple[int, str]:
    """(what the call returned or a negative errno, the errno's name)."""
    value = 0 if result == "?" else int(result, 0)
    if value >= 0:
        return value, ""
    return -getattr(errno, error, 1), error


def _words(folder: list[str], args: str) -> list[str]:
    """The path arguments of a call, absolute; `folder` learns what AT_FDCWD stood for."""
    words: list[str] = []
    base, dangling = folder[0], False
    for match in _TOKEN.finditer(args):
        if match[2]:
            if dangling:
                words.append(base)
            base, dangling = unescape(match[3]), True
            if match[2] == "AT_FDCWD":
                folder[0] = base
        else:
            words.append(absolute(base, match[1]))
            base, dangling = folder[0], False
    return [*words, base] if dangling else words


def _mode(flags: str, *, creates: bool = False) -> str:
    if creates or "O_WRONLY" in flags:
        return "w"
    if "O_RDWR" in flags:
        return "rw"
    return "w" if "O_TRUNC" in flags or "O_CREAT" in flags else "r"


def _address(args: str) -> str:
    """address:port, unix:path, or family:name; empty where the call names no address."""
    if match := _INET.search(args):
        return f"{match[2]}:{match[1]}"
    if match := _INET6.search(args):
        return f"[{match[2]}]:{match[1]}"
    if match := _UNIX.search(args):
        return f"unix:{match[1]}{unescape(match[2])}"
    match = _FAMILY.search(_QUOTED.sub("", args))
    return f"family:{match[1]}" if match and match[1] not in _QUIET else ""


@dataclass(frozen=True)
class Story:
    """What the trace of one run tells."""

    events: tuple[Event, ...] = ()
    signal: str = ""  # that killed the program, "" where none did
    started: bool = False  # whether the program was found and began


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
    mark = text.find(f'"{MARK}"', first.start())
    start = text.rfind("\n", 0, mark) + 1 if mark > 0 else first.start()
    for pid, call in joined(_STATE.findall(text, after, start)):
        trace.feed(pid, call.rstrip("\n"))
    for pid, call in joined(text[start:].splitlines()):
        trace.feed(pid, call)
    results = [e.result for e in trace.events if e.kind == "exec"]
    return Story(tuple(trace.events), trace.signal, trace.begun or 0 in results)
