"""Inputs go in and artefacts come out through one pinned directory, never through a link."""

import contextlib
import ctypes
import os
import stat
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import quote_from_bytes

from kit.errors import KitError
from kit.sandbox.base import Limits, parts_of

LIBC = ctypes.CDLL(None)
DEPTH = 16
SECONDS = 5.0
SKIPPED = 200  # names listed as skipped; the rest is counted in one line
CAPPED = "more files than are collected"
_DIR = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@contextlib.contextmanager
def acting_as(uid: int | None) -> Iterator[None]:
    """Files made by this thread belong to `uid`: the box's file system knows no other owner."""
    if uid is None:
        yield
        return
    LIBC.setfsgid(uid)
    LIBC.setfsuid(uid)
    try:
        yield
    finally:
        LIBC.setfsuid(os.geteuid())
        LIBC.setfsgid(os.getegid())


def place(root: int, files: Mapping[str, bytes], *, owner: int | None) -> None:
    """Write `files` below the directory `root`, before the program runs; `owner` gets them."""
    with acting_as(owner):
        for path, data in files.items():
            try:
                _put(root, parts_of(path), data)
            except OSError as error:
                reason = error.strerror
                raise KitError(
                    f"Input {path!r} of {len(data)} bytes was not placed: {reason}."
                ) from None


def _put(root: int, parts: list[str], data: bytes) -> None:
    for i in range(1, len(parts)):
        with contextlib.suppress(FileExistsError):
            os.mkdir("/".join(parts[:i]), 0o755, dir_fd=root)
    fd = os.open("/".join(parts), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644, dir_fd=root)
    with os.fdopen(fd, "wb") as file:
        file.write(data)


@dataclass
class CollectedFiles:
    """What a run left in its working folder, as far as the caps allow."""

    files: dict[str, bytes] = field(default_factory=dict)
    modes: dict[str, int] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    unlisted: int = 0
    lost: list[str] = field(default_factory=list)  # why something may be missing unnamed

    def lose(self, reason: str) -> None:
        if reason not in self.lost:
            self.lost.append(reason)

    def skip(self, path: str, reason: str) -> None:
        if len(self.skipped) < SKIPPED:
            self.skipped[path] = reason
        else:
            self.unlisted += 1


class Collector:
    """Regular files with one link, within the caps, that differ from what was given."""

    def __init__(self, given: Mapping[str, bytes], limits: Limits) -> None:
        self.given = {"/".join(parts_of(p)): data for p, data in given.items()}
        self.names = {shown(os.fsencode(path)): path for path in self.given}
        self.limits = limits
        self.collected = CollectedFiles()
        self.seen: set[str] = set()
        self.left = limits.artefact_mb << 20
        self.until = time.monotonic() + SECONDS

    def take(self, root: int) -> CollectedFiles:
        """Walk the directory `root` by descriptors; nothing is reached through a symlink.

        What was given comes first, so that no flood of new files can hide what became of it.
        """
        for path in self.given:
            with contextlib.suppress(OSError):
                self._given(root, path.split("/"), shown(os.fsencode(path)))
        self._walk(root, "", 0)
        return self.done()

    def done(self) -> CollectedFiles:
        """All of it, with what was given and is gone."""
        for path in self.given.keys() - self.seen:
            self.collected.skip(path, "deleted by the program")
        if self.collected.unlisted:
            self.collected.lose(CAPPED)
            self.collected.skipped["..."] = f"{self.collected.unlisted} more"
        return self.collected

    def full(self) -> bool:
        """Whether to stop: too long, or far too many entries."""
        return time.monotonic() > self.until or len(self.seen) > 10 * self.limits.artefacts

    def offer(self, path: str, kind: int, links: int, size: int) -> str:
        """The name under which a file is to be kept, "" if it is not; then `collected` says why."""
        name = self.names.get(path, path)  # what was given keeps the name that it was given
        self.seen.add(name)
        reason = KINDS.get(kind, "") or ("hard link" if links != 1 else "")
        if not reason and len(self.collected.files) >= self.limits.artefacts:
            reason = f"more than {self.limits.artefacts} files"
            self.collected.lose(CAPPED)
        if not reason and size > self.left:
            reason = f"{size} bytes are more than what is left of {self.limits.artefact_mb} MB"
            self.collected.lose(CAPPED)
        if reason:
            self.collected.skip(name, reason)
        return "" if reason else name

    def keep(self, name: str, data: bytes, mode: int) -> None:
        """Take what was read, unless it is what was given."""
        if self.given.get(name) != data or mode != 0o644:
            self.left -= len(data)
            self.collected.files[name], self.collected.modes[name] = data, mode

    def _given(self, folder: int, parts: list[str], name: str) -> None:
        """One file by its parts, if it is still there; OSError if it is not."""
        if len(parts) == 1:
            self._pick(folder, parts[0], name)
            return
        inner = os.open(parts[0], _DIR, dir_fd=folder)
        try:
            self._given(inner, parts[1:], name)
        finally:
            os.close(inner)

    def _walk(self, folder: int, prefix: str, depth: int) -> None:
        with os.scandir(folder) as entries:
            for entry in entries:
                if self.full():
                    self.collected.unlisted += 1
                    return
                name = prefix + shown(os.fsencode(entry.name))
                if entry.is_dir(follow_symlinks=False):
                    self._descend(folder, entry.name, name, depth)
                elif self.names.get(name, name) not in self.seen:
                    self._pick(folder, entry.name, name)

    def _descend(self, folder: int, entry: str, name: str, depth: int) -> None:
        if depth >= DEPTH:
            self.collected.skip(name, f"deeper than {DEPTH} folders")
            self.collected.lose(CAPPED)
            return
        try:
            fd = os.open(entry, _DIR, dir_fd=folder)
        except OSError as error:
            self.collected.skip(name, f"not opened: {error.strerror}")
            self.collected.lose("a folder could not be opened")
            return
        try:
            self._walk(fd, name + "/", depth + 1)
        finally:
            os.close(fd)

    def _pick(self, folder: int, entry: str, path: str) -> None:
        is_now = os.stat(entry, dir_fd=folder, follow_symlinks=False)
        kind = stat.S_IFMT(is_now.st_mode)
        if not (name := self.offer(path, kind, is_now.st_nlink, is_now.st_size)):
            return
        try:
            fd = os.open(entry, _FILE, dir_fd=folder)
        except OSError as error:
            self.collected.skip(name, f"not opened: {error.strerror}")
            return
        with os.fdopen(fd, "rb", buffering=0) as file:
            data = file.read(is_now.st_size) if is_now.st_size else b""
        self.keep(name, data, stat.S_IMODE(is_now.st_mode))


KINDS = {
    stat.S_IFLNK: "symbolic link",
    stat.S_IFIFO: "FIFO",
    stat.S_IFSOCK: "socket",
    stat.S_IFBLK: "device",
    stat.S_IFCHR: "device",
}
_SAFE = "".join(chr(c) for c in range(0x20, 0x7F) if chr(c) != "%")


def shown(path: bytes) -> str:
    """A path in printable ASCII; percent signs are spelled out, so that none is forged."""
    return quote_from_bytes(path, safe=_SAFE)
