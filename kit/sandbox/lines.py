"""A line that strace wrote, taken apart: texts, descriptors, addresses, what the call came to."""

import errno
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from kit.records import UNKNOWN, Event
from kit.sandbox.calls import CALLS, Call
from kit.sandbox.links import normal

_RESULT = re.compile(r"\) += (-?\d+|\?|0x[0-9a-f]+)(?:(\0+)(?:\(deleted\))?)?(?: (\w*).*)?$", re.S)
_OPAQUE = re.compile(r'"(?:[^"\\]|\\.)*"|<[^<>]*>', re.S)
_OPEN = re.compile(
    r'openat\((AT_FDCWD|\d+)<([^<>]*)>, "((?:[^"\\]|\\.)*)", ([A-Z_|]+)(?:, 0\d*)?\)'
    r" += (-?\d+)(?:<([^<>]*)>(?:\(deleted\))?)?(?: (\w+) .*)?$"
)
_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"(?:\.\.\.)?|(AT_FDCWD|\d+)<([^<>]*)>')
_ESCAPE = re.compile(r"\\([0-7]{1,3}|x[0-9a-f]{2}|.)", re.S)
_PLAIN = {"n": "\n", "t": "\t", "r": "\r", "v": "\v", "f": "\f", "a": "\a", "b": "\b"}
_ADDRESS = re.compile(
    r'AF_INET, sin_port=htons\((\d+)\), sin_addr=inet_addr\("([^"]+)"\)'
    r'|AF_INET6, sin6_port=htons\((\d+)\)[^"]*?inet_pton\(AF_INET6, "([^"]+)"'
    r'|sa_family=AF_UNIX, sun_path=(@?)"((?:[^"\\]|\\.)*)"'
    r'|sa_family=AF_UNSPEC, sa_data="((?:[^"\\]|\\.)*)"'
)
_FAMILY = re.compile(r"\{(?:msg_name=\{)?sa_family=(?:AF_)?(\w+)")
_MOVED = re.compile(r" <pid changed to (\d+) \.\.\.>$")
_TOOK = re.compile(r"\+\+\+ superseded by execve in pid (\d+)")
_OPEN_END = ") = ?"
_NUMBERS = {name: number for number, name in errno.errorcode.items()}
_QUIET = ("UNSPEC", "NETLINK")  # no address that anyone could reach


def unescape(text: str) -> str:
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


def joined(lines: Iterable[str]) -> list[tuple[str, str]]:
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


def absolute(folder: str, path: str) -> str:
    """`path` as a process in `folder` means it, dots and all."""
    return path if path.startswith("/") else f"{folder}/{path}"


@lru_cache(maxsize=4096)
def opening(text: str) -> tuple[str, str, tuple[Event, ...]] | None:
    """(what AT_FDCWD stands for or "", the path, the events) where the line is a plain openat.

    Loaders and interpreters write the same lines in every run.
    """
    if not (match := _OPEN.match(text)):
        return None
    at, base, path, flags, result, real, error = match.groups()
    base = unescape(base)
    value, error = _result(result, error or "")
    target = normal(absolute(base, unescape(path)))
    paths = ways(target, unescape(real or ""))
    events = tuple(Event("open", p, _mode(flags), value, error) for p in paths)
    return base if at == "AT_FDCWD" else "", target, events


def ways(*paths: str) -> tuple[str, ...]:
    """Each of several ways to say a path, once; descriptors of no file are none."""
    return tuple(dict.fromkeys(p for p in paths if p.startswith("/")))


@dataclass(frozen=True)
class Line:
    """One call: its arguments, the same with texts and files blanked out, and what came of it."""

    call: Call
    args: str
    mask: str
    value: int  # what it returned, or a negative errno
    error: str
    real: str  # the path behind the descriptor that it returned

    @property
    def makes(self) -> bool:
        return self.call.reads == "made"

    @property
    def descriptor(self) -> str:
        """What the first descriptor stands for."""
        return next((m[3] for m in _TOKEN.finditer(self.args) if m[2]), "")

    @property
    def mode(self) -> str:
        return "w" if self.call.name == "creat" else _mode(self.mask)

    def strings(self) -> list[str]:
        return [unescape(m[1]) for m in _TOKEN.finditer(self.args) if m[1] is not None]

    def paths(self, folder: list[str]) -> list[str]:
        """The path arguments, absolute, dots and all; `folder` learns what AT_FDCWD stood for."""
        if self.call.reads == "fd":
            return [unescape(self.descriptor)] if self.descriptor else []
        words: list[str] = []
        base, dangling = folder[0], False
        for match in _TOKEN.finditer(self.args):
            if match[2]:
                words += [base] * dangling
                base, dangling = unescape(match[3]), True
                if match[2] == "AT_FDCWD":
                    folder[0] = base
            else:
                words.append(absolute(base, unescape(match[1])))
                base, dangling = folder[0], False
        return [*words, base] if dangling else words

    def addresses(self) -> list[str]:
        """address:port, unix:path, or family:name; none where the call names no address."""
        dissolves = self.call.name == "connect"  # with no family: the address is forgotten
        found = [a for m in _ADDRESS.finditer(self.args) if (a := _address(m, dissolves))]
        if found or _ADDRESS.search(self.args):
            return found
        family = _FAMILY.search(self.mask)
        return [f"family:{family[1]}"] if family and family[1] not in _QUIET else []


def line_of(text: str) -> Line | None:
    """A call of the table; None for other lines. No text in it is taken for a part of the line."""
    name = text.partition("(")[0]
    mask = _OPAQUE.sub(lambda hidden: "\0" * len(hidden[0]), text)
    if (call := CALLS.get(name)) is None or not (found := _RESULT.search(mask)):
        return None
    value, error = _result(found[1], found[3] or "")
    real = unescape(text[found.start(2) + 1 : found.end(2) - 1]) if found[2] else ""
    args = text[len(name) + 1 : found.start()]
    return Line(call, args, mask[len(name) + 1 : found.start()], value, error, real)


def _address(match: re.Match[str], dissolves: bool) -> str:
    port, host, port6, host6, at, path, raw = match.groups()
    if port is not None:
        return f"{host}:{port}"
    if port6 is not None:
        return f"[{host6}]:{port6}"
    if path is not None:
        return f"unix:{at}{unescape(path)}"
    data = _bytes(raw)  # to a datagram's socket, no family means the internet's
    if dissolves or len(data) < 6:
        return ""
    return f"{'.'.join(map(str, data[2:6]))}:{int.from_bytes(data[:2], 'big')}"


def _result(result: str, error: str) -> tuple[int, str]:
    """(what the call returned or a negative errno, the errno's name)."""
    if result == "?":
        return 0, UNKNOWN
    value = int(result, 16 if result.startswith("0x") else 10)
    if value >= 0:
        return value, ""
    return -_NUMBERS.get(error, 1), error


def _mode(flags: str) -> str:
    if "O_WRONLY" in flags:
        return "w"
    if "O_RDWR" in flags:
        return "rw"
    return "w" if "O_TRUNC" in flags or "O_CREAT" in flags else "r"
