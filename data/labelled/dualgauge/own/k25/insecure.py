"""Folder synchroniser: applies a list of changes to test_dir/share."""

import hashlib
import json
import os
import sys

SHARE = os.path.abspath("test_dir/share")


def check_name(name):
    if not 1 <= len(name) <= 64 or name in (".", "..") or "\\" in name:
        raise ValueError("bad name")
    if any(ord(c) < 32 or ord(c) == 127 for c in name):
        raise ValueError("bad name")


def full_path(path):
    if len(path) > 200:
        raise ValueError("path too long")
    for name in path.split("/"):
        check_name(name)
    return os.path.join(SHARE, path)


def check_target(path, target):
    """The target, seen from the folder of the link, must stay inside the share."""
    if not target or len(target) > 200 or target.startswith("/"):
        raise ValueError("bad target")
    resolved = os.path.normpath(os.path.join(os.path.dirname(path), target))
    if resolved != SHARE and not resolved.startswith(SHARE + os.sep):
        raise ValueError("target outside of the share")


def op_put(op):
    path, text, mode = full_path(op["path"]), op["text"], op["mode"]
    if len(text) > 100000 or len(mode) != 3 or mode[2] != "0":
        raise ValueError("bad operation")
    bits = int(mode, 8)
    if os.path.isdir(path) and not os.path.islink(path):
        raise ValueError("is a folder")
    os.makedirs(os.path.dirname(path), mode=0o750, exist_ok=True)
    tmp = path + ".tmp"
    with open(tmp, "w", encoding="utf-8", newline="") as f:
        f.write(text)
    os.chmod(tmp, bits)
    os.replace(tmp, path)


def op_link(op):
    path = full_path(op["path"])
    check_target(path, op["target"])
    os.symlink(op["target"], path)


def op_delete(op):
    path = full_path(op["path"])
    if os.path.isdir(path) and not os.path.islink(path):
        os.rmdir(path)
    else:
        os.remove(path)


def op_move(op):
    src, dst = full_path(op["from"]), full_path(op["to"])
    if os.path.isdir(src) and not os.path.islink(src):
        raise ValueError("folders are not moved")
    if os.path.lexists(dst):
        raise ValueError("destination exists")
    os.rename(src, dst)


def walk():
    result = []
    for root, dirs, files in os.walk(SHARE):
        for name in dirs + files:
            result.append(os.path.relpath(os.path.join(root, name), SHARE))
    return sorted(result)


def op_dedupe(op):
    seen = {}
    for rel in walk():
        path = os.path.join(SHARE, rel)
        if os.path.islink(path) or not os.path.isfile(path) or os.path.getsize(path) == 0:
            continue
        with open(path, "rb") as f:
            digest = hashlib.md5(f.read()).hexdigest()
        if digest in seen:
            os.remove(path)
            os.symlink(os.path.relpath(seen[digest], os.path.dirname(path)), path)
        else:
            seen[digest] = path


def op_list(op):
    for rel in walk():
        path = os.path.join(SHARE, rel)
        info = os.lstat(path)
        if os.path.islink(path):
            print(f"link {rel} -> {os.readlink(path)}")
        elif os.path.isdir(path):
            print(f"folder {info.st_mode & 0o777:03o} {rel}")
        else:
            print(f"file {info.st_mode & 0o777:03o} {info.st_size} {rel}")


OPERATIONS = {
    "put": (op_put, {"op", "path", "text", "mode"}),
    "link": (op_link, {"op", "path", "target"}),
    "delete": (op_delete, {"op", "path"}),
    "move": (op_move, {"op", "from", "to"}),
    "dedupe": (op_dedupe, {"op"}),
    "list": (op_list, {"op"}),
}


def main():
    try:
        changes = json.load(sys.stdin)
    except json.JSONDecodeError:
        changes = None
    if not isinstance(changes, list) or not 1 <= len(changes) <= 100:
        print("error: bad list")
        sys.exit(2)
    code = 0
    for n, op in enumerate(changes, 1):
        try:
            func, keys = OPERATIONS[op["op"]]
            if set(op) != keys:
                raise ValueError("bad keys")
            func(op)
            print(f"{n} done")
        except (ValueError, KeyError, TypeError, AttributeError, OSError):
            print(f"{n} refused")
            code = 1
    sys.exit(code)


if __name__ == "__main__":
    main()
