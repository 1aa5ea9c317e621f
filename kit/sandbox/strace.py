"""All that is known of strace: how it is started, and how its text becomes Records.

It sees the boxes of machines on which no watcher can be made, and those of containers.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from kit.records import UNKNOWN
from kit.sandbox.events import EXITED, KILLED, MARK, START, Record, failure
from kit.sandbox.syscalls import CALLS, TABLE

STRACE = "/usr/bin/strace"
SHOWN = "4096"  # characters of a text, members of a list
_TRACED = ",".join(call.name for call in TABLE if call.kind != "refused")

_NEWPID = re.compile(r"^(\d+) +clone\(.*CLONE_NEWPID.*(?: = (\d+)| <unfinished \.\.\.>)$", re.M)
_FORKED = re.compile(r"^(\d+) +(?:clone3?\(|v?fork\(|<\.\.\. (?:clone3?|v?fork) ).* = (\d+)$", re.M)
_PIDS = re.compile(r"^\d+", re.M)
_STATE = re.compile(r"^\d+ +(?:<\.\.\. )?(?:clone|v?fork|f?chdir).*\n", re.M)
_EXEC = re.compile(r"^(\d+) +execve\(", re.M)
_MARKED = re.compile(rf'access(?:at2?)?\([^"\n]*"(?:{MARK}|{START})"')
_MOVED = re.compile(r" <pid changed to (\d+) \.\.\.>$")
_TOOK = re.compile(r"\+\+\+ superseded by execve in pid (\d+)")
_OPEN_END = ") = ?"

_RESULT = re.compile(r"\) += (-?\d+|\?|0x[0-9a-f]+)(?:(\0+)(?:\(deleted\))?)?(?: (\w*).*)?$", re.S)
_OPAQUE = re.compile(r'"(?:[^"\\]|\\.)*"|<[^<>]*>', re.S)
_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"(?:\.\.\.)?|(AT_FDCWD|\d+)<([^<>]*)>')
_CUT = re.compile(r"\0\.\.\.|, \.\.\.")  # a text, a list of which a part is shown
_ESCAPE = re.compile(r"\\([0-7]{1,3}|x[0-9a-f]{2}|.)", re.S)
_PLAIN = {"n": "\n", "t": "\t", "r": "\r", "v": "\v", "f": "\f", "a": "\a", "b": "\b"}
_ADDRESS = re.compile(
    r'AF_INET, sin_port=htons\((\d+)\), sin_addr=inet_addr\("([^"]+)"\)'
    r'|AF_INET6, sin6_port=htons\((\d+)\)[^"]*?inet_pton\(AF_INET6, "([^"]+)"'
    r'|sa_family=AF_UNIX, sun_path=(@?)"((?:[^"\\]|\\.)*)"'
    r'|sa_family=AF_UNSPEC, sa_data="((?:[^"\\]|\\.)*)"'
)
_FAMILY = re.compile(r"\{(?:msg_name=\{)?sa_family=(?:AF_)?(\w+)")
_QUIET = ("UNSPEC", "NETLINK")  # no address that anyone could reach
_FLAGS = {"NOFOLLOW": "NOFOLLOW", "AT_SYMLINK_FOLLOW": "FOLLOW", "RENAME_EXCHANGE": "EXCHANGE",
          "CLONE_FS": "FS"}  # fmt: skip


def command(file: str, *more: str) -> list[str]:
    """The words before those of a program whose calls are to be written to `file`."""
    line = [STRACE, "-f", "--seccomp-bpf", "-q", "-y", "-s", SHOWN, *more]
    return [*line, "-e", f"trace={_TRACED}", "-o", file, "--"]


def records(text: str, *, wrappers: int = 0) -> tuple[str, list[tuple[str, Record]]]:
    """(the process that the program is to be, what processes did since it began); the process is
    "" where none got so far.

    wrappers: execs of our own that come first.
    """
    init, after = _init(text)
    execs = [m for m in _EXEC.finditer(text, after) if int(m[1]) >= init]
    if len(execs) <= wrappers or not (init or wrappers):
        return "", []
    first = execs[wrappers]
    mark = _MARKED.search(text, first.start())
    start = text.rfind("\n", 0, mark.start()) + 1 if mark else first.start()
    before = [line.rstrip("\n") for line in _STATE.findall(text, after, start)]
    lines = [*_joined(before), *_joined(text[start:].split("\n"))]
    children, calls = _children(text, init), list[tuple[str, Record]]()
    for pid, line in lines:
        if record := _record(line):
            if record.call.kind == "fork" and (child := children.get(record.value)) is not None:
                record = record._replace(words=(child,))
            calls.append((pid, record))
    return first[1], calls


def _init(text: str) -> tuple[int, int]:
    """(pid of the init of the box, where its story starts); 0 where bwrap never got so far."""
    if not (match := _NEWPID.search(text)):
        return 0, 0
    if match[2]:
        return int(match[2]), match.end()
    resumed = re.compile(rf"^{match[1]} +<\.\.\. clone resumed>.* = (\d+)$", re.M)
    late = resumed.search(text, match.end())
    return (int(late[1]), match.end()) if late else (0, 0)


def _children(text: str, init: int) -> dict[int, str]:
    """Process number inside the box -> outside: both count processes in the order of their birth.

    A fork tells the number inside, a line begins with that outside. strace can translate, but it
    reads all of /proc to do so, which costs more than the rest of the run.
    """
    pids = _PIDS.findall(text)
    if not init:  # traced from within: both are the same
        return {int(pid): pid for pid in pids}
    forks = (m.groups() for m in _FORKED.finditer(text))
    inside = sorted({1, *(int(child) for pid, child in forks if int(pid) >= init)})
    outside = sorted(pid for pid in {int(p) for p in pids} if pid >= init)
    return {number: str(pid) for number, pid in zip(inside, outside, strict=False)}


def _joined(lines: Iterable[str]) -> list[tuple[str, str]]:
    """(pid, call) in the order in which the calls began, interrupted ones put together again.

    A call that never ended is told with ? for what came of it, which nobody knows.
    A program that a thread starts goes on under the number of its process's first thread, and
    strace 6.1 misreads what the call returned; it was 0, or the numbers had not changed.
    """
    order: list[tuple[str, str]] = []
    waiting: dict[str, int] = {}
    for line in lines:
        pid, _, text = line.partition(" ")
        text = text.lstrip()
        if text.endswith(" <unfinished ...>"):
            waiting[pid] = len(order)
            order.append((pid, text.removesuffix(" <unfinished ...>") + _OPEN_END))
        elif text.startswith("+++ sup") and (took := _TOOK.match(text)):
            if (at := waiting.pop(took[1], None)) is not None:
                order[at] = (pid, order[at][1].removesuffix(_OPEN_END) + ") = 0")
        elif text.endswith(" ...>") and (moved := _MOVED.search(text)):
            order.append((moved[1], text[: moved.start()] + ") = 0"))
        elif not text.startswith("<... "):
            order.append((pid, text))
        elif (at := waiting.pop(pid, None)) is not None:
            begun = order[at][1].removesuffix(_OPEN_END)
            order[at] = (pid, begun + text.partition(" resumed>")[2])
    return order


@lru_cache(maxsize=4096)
def _record(text: str) -> Record | None:
    """A line without its pid; None for lines of no use. No text in it is taken for a part of it.

    Loaders and interpreters write the same lines in every run.
    """
    if text.startswith("+++ "):
        _, killed, rest = text.partition("+++ killed by ")
        return Record(KILLED, words=(rest.partition(" ")[0],)) if killed else Record(EXITED)
    name = text.partition("(")[0]
    mask = _OPAQUE.sub(lambda hidden: "\0" * len(hidden[0]), text)
    if (call := CALLS.get(name)) is None or not (result := _RESULT.search(mask)):
        return None
    args, mask = text[len(name) + 1 : result.start()], mask[len(name) + 1 : result.start()]
    value, error = 0, UNKNOWN
    if result[1] != "?":
        value, error = int(result[1], 16 if result[1].startswith("0x") else 10), ""
    if value < 0:
        value, error = failure(result[3] or "")
    real = _text(text[result.start(2) + 1 : result.end(2) - 1]) if result[2] else ""
    paths, folder, file = _paths(args)
    addresses = _addresses(args, mask, call.name) if call.reads == "address" else ()
    words = tuple(_text(m[1]) for m in _TOKEN.finditer(args) if m[1] is not None)
    if call.kind == "exec":
        words, cut = words[1:], _CUT.search(mask) is not None
    else:
        words, cut = words[: call.name.startswith("symlink")], "}, ..." in mask
    mode = ""
    if call.kind == "open":
        writes = call.name == "creat" or re.search("O_(WRONLY|TRUNC|CREAT)", mask)
        mode = "rw" if "O_RDWR" in mask and "O_WRONLY" not in mask else "w" if writes else "r"
    flags = tuple(flag for word, flag in _FLAGS.items() if word in mask)
    return Record(call, paths, folder, file, words, addresses, mode, flags, value, error, real, cut)


def _paths(args: str) -> tuple[tuple[str, ...], str, str]:
    """(the path arguments, what AT_FDCWD stands for, what the first descriptor stands for)."""
    paths: list[str] = []
    folder = file = base = ""
    dangling = False
    for match in _TOKEN.finditer(args):
        if match[2]:
            paths += [_below(base, "")] * dangling
            base, dangling = _text(match[3]), True
            file = file or base
            folder = base if match[2] == "AT_FDCWD" else folder
        else:
            paths.append(_below(base, _text(match[1])))
            base, dangling = folder, False
    return (*paths, *[_below(base, "")] * dangling), folder, file


def _below(base: str, path: str) -> str:
    """A path in a folder, "" where that is a socket or a pipe; relative where it is not known."""
    if path.startswith("/") or not base:
        return path or "."
    return f"{base}/{path}" if base.startswith("/") else ""


def _addresses(args: str, mask: str, name: str) -> tuple[str, ...]:
    """address:port, unix:path, or family:name; none where the call names no address."""
    dissolves = name == "connect"  # with no family: the address is forgotten
    matches = list(_ADDRESS.finditer(args))
    if matches:
        return tuple(a for m in matches if (a := _address(m, dissolves)))
    family = _FAMILY.search(mask)
    return (f"family:{family[1]}",) if family and family[1] not in _QUIET else ()


def _address(match: re.Match[str], dissolves: bool) -> str:
    port, host, port6, host6, at, path, raw = match.groups()
    if port is not None:
        return f"{host}:{port}"
    if port6 is not None:
        return f"[{host6}]:{port6}"
    if path is not None:
        return f"unix:{at}{_text(path)}"
    data = _bytes(raw)  # to a datagram's socket, no family means the internet's
    if dissolves or len(data) < 6:
        return ""
    return f"{'.'.join(map(str, data[2:6]))}:{int.from_bytes(data[:2], 'big')}"


def _text(text: str) -> str:
    """A C string of strace as text; bytes that are not UTF-8 become \\xNN."""
    return _bytes(text).decode(errors="backslashreplace") if "\\" in text else text


def _bytes(text: str) -> bytes:
    """A C string of strace as what it stands for."""

    def one(match: re.Match[str]) -> str:
        code = match[1]
        if code[0] in "01234567":
            return chr(int(code, 8) & 255)
        return chr(int(code[1:], 16)) if len(code) == 3 else _PLAIN.get(code, code)

    return _ESCAPE.sub(one, text).encode("latin-1", "replace")
