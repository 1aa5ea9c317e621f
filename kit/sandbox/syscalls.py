"""What a program did: the lines of strace become Events with absolute paths."""

import errno
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping

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

_LINE = re.compile(r"(\d+) +(.*)", re.S)
_CALL = re.compile(
    r"(\w+)\((.*)\) += (-?\d+|\?|0x[0-9a-f]+)(?:<(.*?)>(?:\(deleted\))?)?(?: (.*))?$", re.S
)
_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"(?:\.\.\.)?|(AT_FDCWD|\d+)<((?:[^>])*)>')
_ESCAPE = re.compile(r"\\([0-7]{1,3}|x[0-9a-f]{2}|.)", re.S)
_PLAIN = {"n": "\n", "t": "\t", "r": "\r", "v": "\v", "f": "\f", "a": "\a", "b": "\b"}
_INET = re.compile(
    r"sa_family=AF_INET, sin_port=htons\((\d+)\), sin_addr=inet_addr\(\"([^\"]+)\"\)"
)
_INET6 = re.compile(
    r"sa_family=AF_INET6, sin6_port=htons\((\d+)\).*?inet_pton\(AF_INET6, \"([^\"]+)\"", re.S
)
_UNIX = re.compile(r"sa_family=AF_UNIX, sun_path=(@?)\"((?:[^\"\\]|\\.)*)\"")
_FORKED = re.compile(r"(?:clone3?|v?fork)\(.* = (\d+)$", re.S)
_NEWPID = re.compile(r"clone\(.*CLONE_NEWPID.* = (\d+)$", re.S)
_FAMILY = re.compile(r"sa_family=(?:AF_)?(\w+)")


def unescape(text: str) -> str:
    """A C string of strace as text; bytes that are not UTF-8 become \\xNN."""

    def one(match: re.Match[str]) -> str:
        code = match[1]
        if code[0] in "01234567":
            return chr(int(code, 8))
        return (
            chr(int(code[1:], 16)) if code[0] == "x" and len(code) == 3 else _PLAIN.get(code, code)
        )

    if "\\" not in text:
        return text
    return _ESCAPE.sub(one, text).encode("latin-1", "replace").decode(errors="backslashreplace")


def join(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """(pid, call) in the order in which the calls began, interrupted ones put together again."""
    order: list[list[str]] = []
    open_calls: dict[str, list[str]] = {}
    for line in lines:
        match = _LINE.match(line)
        if not match:
            continue
        pid, text = match[1], match[2]
        if text.endswith(" <unfinished ...>"):
            entry = [pid, text[: -len(" <unfinished ...>")]]
            open_calls[pid] = entry
            order.append(entry)
        elif text.startswith("<... "):
            entry = open_calls.pop(pid, None)
            if entry:
                entry[1] += text.partition(" resumed>")[2]
        else:
            order.append([pid, text])
    return ((pid, text) for pid, text in order)


def children_of(calls: list[tuple[str, str]]) -> dict[int, str]:
    """Process number inside the box -> outside: both count processes in the order of their birth.

    A fork tells the number inside, a line begins with that outside. strace can translate, but it
    reads all of /proc to do so, which costs more than the rest of the run.
    """
    init = next((int(m[1]) for _, text in calls if (m := _NEWPID.match(text))), 0)
    pids = sorted({int(pid) for pid, _ in calls if int(pid) >= init})
    born = (m for pid, text in calls if int(pid) >= init and (m := _FORKED.match(text)))
    inside = sorted({1, *(int(m[1]) for m in born)})
    return {number: str(pid) for number, pid in zip(inside, pids, strict=False)}


class Trace:
    """Follows each process's working folder and turns its calls into Events."""

    def __init__(self, *, program: str, children: Mapping[int, str]) -> None:
        self.program, self.children = program, children
        self.folders: dict[str, list[str]] = {}
        self.events: list[Event] = []
        self.begun = False
        self.signal = ""
        self.leader = ""

    def feed(self, pid: str, text: str) -> None:
        if text.startswith("+++ killed by "):
            self._died(pid, text.split()[3])
            return
        call = _CALL.match(text)
        if not call:
            return
        name, args, result, real, rest = call.groups()
        value = int(result, 0) if result != "?" else 0
        error = rest.split()[0] if value < 0 and rest else ""
        if error:
            value = -getattr(errno, error, 1)
        folder = self.folders.setdefault(pid, ["/box"])
        if name in FORKS:
            self._forked(folder, args, value)
            return
        words = self._words(folder, args)
        if name in FOLDERS:
            if value == 0 and words:
                folder[0] = words[0]
        elif name in MARKS:
            if words and words[0] == MARK:
                self._begin()
        else:
            self._event(pid, name, args, words, value, error, unescape(real or ""))

    def _died(self, pid: str, signal: str) -> None:
        if pid == self.leader:
            self.signal = signal
        if pid != self.leader or signal != "SIGKILL":
            self.events.append(Event("signal", signal))

    def _begin(self) -> None:
        if not self.begun:
            self.begun = True
            self.events.clear()

    def _forked(self, folder: list[str], args: str, inner: int) -> None:
        """A child starts in the folder of its parent, a thread shares it."""
        if (child := self.children.get(inner)) is not None:
            self.folders.setdefault(child, folder if "CLONE_FS" in args else list(folder))

    def _words(self, folder: list[str], args: str) -> list[str]:
        """The path arguments of a call, absolute and normalised."""
        words, base = [], folder[0]
        pending = False
        for match in _TOKEN.finditer(args):
            if match[2]:
                if pending:
                    words.append(base)
                base, pending = unescape(match[3]), True
                if match[2] == "AT_FDCWD":
                    folder[0] = base
            else:
                words.append(posixpath.normpath(posixpath.join(base, unescape(match[1]))))
                base, pending = folder[0], False
        if pending:
            words.append(base)
        return [w[1:] if w.startswith("//") else w for w in words]

    def _event(
        self, pid: str, name: str, args: str, words: list[str], value: int, error: str, real: str
    ) -> None:
        add = self.events.append
        if name in EXECS:
            self._exec(pid, args, words, value, error)
        elif name in NETWORK:
            if target := _address(args):
                add(Event("bind" if name == "bind" else "connect", target, "", value, error))
        elif not words:
            return
        elif name in OPENS:
            mode = _mode(name, args)
            if words[0] == MARK:
                self._begin()
                return
            add(Event("open", words[0], mode, value, error))
            if real.startswith("/") and real != words[0]:
                add(Event("open", real, mode, value, error))
        elif name in DELETES:
            add(Event("delete", words[0], name, value, error))
        elif name in RENAMES:
            add(Event("rename", words[0], "from", value, error))
            add(Event("rename", words[-1], "to", value, error))
        elif name in LINKS:
            add(Event("write", words[-1], name, value, error))
        else:
            add(Event("write", words[0], name, value, error))

    def _exec(self, pid: str, args: str, words: list[str], value: int, error: str) -> None:
        strings = [unescape(m[1]) for m in _TOKEN.finditer(args) if m[1] is not None]
        if not self.leader and self.begun_by(strings):
            self.leader = pid
            self.events.clear()
        if strings:
            joined = " ".join(strings[1:])
            self.events.append(Event("exec", words[0], joined, value, error))

    def begun_by(self, strings: list[str]) -> bool:
        """Whether this exec is the one of argv[0]: the last that our own wrapper does."""
        return strings[1:2] == [self.program]


def _mode(name: str, args: str) -> str:
    if name == "creat" or "O_WRONLY" in args:
        return "w"
    if "O_RDWR" in args:
        return "rw"
    return "w" if "O_TRUNC" in args or "O_CREAT" in args else "r"


def _address(args: str) -> str:
    """ "address:port", a socket's path, or the family; "" where the call names no address."""
    if match := _INET.search(args):
        return f"{match[2]}:{match[1]}"
    if match := _INET6.search(args):
        return f"[{match[2]}]:{match[1]}"
    if match := _UNIX.search(args):
        return f"unix:{match[1]}{unescape(match[2])}"
    match = _FAMILY.search(args)
    return f"family:{match[1]}" if match and match[1] != "UNSPEC" else ""


def read_trace(text: str, *, program: str) -> tuple[tuple[Event, ...], str]:
    """(events since the program began, name of the signal that killed it or "")."""
    calls = list(join(text.splitlines()))
    trace = Trace(program=program, children=children_of(calls))
    for pid, call in calls:
        trace.feed(pid, call)
    return tuple(trace.events), trace.signal
