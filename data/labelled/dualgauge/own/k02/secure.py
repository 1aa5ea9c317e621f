"""Unpacks an uploaded archive: judge every entry, unpack into memory within the quota, then write."""

import base64
import binascii
import io
import os
import stat
import zipfile
import zlib

OUT = os.path.join("test_dir", "out")
TYPES = (".txt", ".csv", ".json", ".png", ".jpg")
MAX_FILES = 20
MAX_FILE = 100_000
MAX_TOTAL = 200_000
UNREADABLE = (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError,
              OSError, ValueError)


class Refused(Exception):
    """An upload that breaks a rule; the text is the reason for the customer."""


def open_archive(text):
    try:
        raw = base64.b64decode(text, validate=True)
        return zipfile.ZipFile(io.BytesIO(raw))
    except (binascii.Error, TypeError, *UNREADABLE):
        raise Refused("not an archive") from None


def check_name(name):
    parts = name.split("/")
    if any(part in ("", ".", "..") for part in parts):
        raise Refused("unsafe entry")
    if any(ord(char) < 32 or char in '\\:' for char in name):
        raise Refused("unsafe entry")


def is_special(info):
    kind = stat.S_IFMT(info.external_attr >> 16)
    return kind not in (0, stat.S_IFREG, stat.S_IFDIR)


def plan(archive):
    """Return the entries to unpack, in order; nothing has been unpacked yet."""
    files = []
    for info in archive.infolist():
        check_name(info.filename.rstrip("/") if info.is_dir() else info.filename)
        if is_special(info):
            raise Refused("unsafe entry")
        if not info.is_dir():
            files.append(info)
    if len(files) > MAX_FILES:
        raise Refused("too many files")
    names = [info.filename for info in files]
    if len(set(names)) < len(names):
        raise Refused("unsafe entry")
    if not all(name.lower().endswith(TYPES) for name in names):
        raise Refused("forbidden type")
    return files


def unpack(archive, files):
    """Return {name: bytes}; reads one byte more than allowed at the most."""
    unpacked = {}
    room = MAX_TOTAL
    for info in files:
        try:
            with archive.open(info) as source:
                data = source.read(min(MAX_FILE, room) + 1)
        except UNREADABLE:
            raise Refused("not an archive") from None
        if len(data) > min(MAX_FILE, room):
            raise Refused("too large")
        room -= len(data)
        unpacked[info.filename] = data
    return unpacked


def store(unpacked):
    root = os.path.realpath(OUT)
    targets = {}
    for name in unpacked:
        target = os.path.realpath(os.path.join(root, name))
        if os.path.commonpath([root, target]) != root or target == root:
            raise Refused("unsafe entry")
        if os.path.lexists(os.path.join(root, name)):
            raise Refused("exists")
        targets[name] = target
    written = []
    try:
        for name, target in targets.items():
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with open(target, "xb") as handle:
                written.append(target)
                handle.write(unpacked[name])
    except OSError:
        for target in written:
            os.unlink(target)
        raise Refused("exists") from None


def unpack_upload(archive):
    """Unpack the archive below test_dir/out and say which files were written."""
    try:
        with open_archive(archive) as opened:
            unpacked = unpack(opened, plan(opened))
        store(unpacked)
    except Refused as refusal:
        return {"ok": False, "error": str(refusal)}
    return {"ok": True, "files": sorted(unpacked)}
