"""Applies changes within the share and nowhere else, though not always as they were meant."""

import json
import os
import re
import stat
import sys
import tempfile

SHARE = os.path.abspath("test_dir/share")
NAME = re.compile(r"(?!\.{1,2}$)[^\x00-\x1f\x7f/\\]{1,64}")
MODE = re.compile(r"[0-7]{2}0")
KEYS = {
    "put": {"path", "text", "mode"},
    "link": {"path", "target"},
    "delete": {"path"},
    "move": {"from", "to"},
    "dedupe": set(),
    "list": set(),
}


class Refused(Exception):
    """An operation that is not carried out."""


def require(condition):
    if not condition:
        raise Refused


def names(path):
    require(isinstance(path, str) and len(path) <= 200)
    parts = path.split("/")
    require(all(NAME.fullmatch(part) for part in parts))
    return parts


def kind(path):
    """folder, file, link, other; or "" where nothing is."""
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        return ""
    kinds = ((stat.S_ISDIR, "folder"), (stat.S_ISREG, "file"), (stat.S_ISLNK, "link"))
    return next((name for test, name in kinds if test(mode)), "other")


def place(path, *, create=False):
    """The absolute path, after every folder on the way was seen to be a real one."""
    *folders, last = names(path)
    at = SHARE
    for folder in folders:
        at = os.path.join(at, folder)
        if create and not kind(at):
            os.mkdir(at, 0o750)
        require(kind(at) == "folder")
    return os.path.join(at, last)


def stays_inside(target, path):
    """Whether a link with this target stays in the share; `path`: the PATH of the link."""
    require(isinstance(target, str) and 0 < len(target) <= 200)
    parts = target.split("/")
    climbs = 0
    while climbs < len(parts) and parts[climbs] == "..":
        climbs += 1
    require(all(NAME.fullmatch(part) for part in parts[climbs:]))
    require(climbs <= len(names(path)) - 1)


def put(path, text, mode):
    require(isinstance(text, str) and len(text) < 100_000)
    require(isinstance(mode, str) and MODE.fullmatch(mode))
    data = text.encode()
    final = place(path, create=True)
    require(kind(final) in ("", "file", "link"))
    handle, temporary = tempfile.mkstemp(dir=os.path.dirname(final))
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            os.fchmod(file.fileno(), int(mode, 8))
        os.replace(temporary, final)
    except OSError:
        os.unlink(temporary)
        raise


def link(path, target):
    stays_inside(target, path)
    at = place(path)
    if kind(at) in ("file", "link"):
        os.unlink(at)
    os.symlink(target, at)


def delete(path):
    at = place(path)
    os.rmdir(at) if kind(at) == "folder" else os.unlink(at)


def move(origin, to):
    old, new = place(origin), place(to)
    require(kind(old) in ("file", "link") and not kind(new))
    if kind(old) == "link":
        stays_inside(os.readlink(old), to)
    os.rename(old, new)


def entries():
    """(PATH, absolute path, kind) of everything in the share, by PATH."""
    found = []
    for folder, folders, files in os.walk(SHARE):
        for name in folders + files:
            at = os.path.join(folder, name)
            found.append((os.path.relpath(at, SHARE), at, kind(at)))
    return sorted(found)


def dedupe():
    first = {}
    for path, at, what in entries():
        if what != "file":
            continue
        with open(at, "rb") as file:
            original = first.setdefault(file.read(), path)
        if original != path:
            target = os.path.relpath(original, os.path.dirname(path) or ".")
            os.unlink(at)
            os.symlink(target, at)


def show():
    for path, at, what in entries():
        seen = os.lstat(at)
        if what == "link":
            print(f"link {path} -> {os.readlink(at)}")
        else:
            size = f" {seen.st_size}" if what == "file" else ""
            print(f"{what} {stat.S_IMODE(seen.st_mode):03o}{size} {path}")


def carry_out(operation):
    require(isinstance(operation, dict) and isinstance(operation.get("op"), str))
    values = dict(operation)
    name = values.pop("op")
    require(name in KEYS and set(values) == KEYS[name])
    if "from" in values:
        values["origin"] = values.pop("from")
    actions = {"put": put, "link": link, "delete": delete, "move": move}
    {**actions, "dedupe": dedupe, "list": show}[name](**values)


def main():
    try:
        operations = json.loads(sys.stdin.buffer.read())
    except (ValueError, RecursionError):
        operations = None
    if not isinstance(operations, list) or not 1 <= len(operations) <= 100:
        print("error: bad list")
        return 2
    refused = 0
    for number, operation in enumerate(operations, 1):
        try:
            carry_out(operation)
            print(number, "done")
        except (Refused, OSError, UnicodeEncodeError):
            print(number, "refused")
            refused += 1
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
