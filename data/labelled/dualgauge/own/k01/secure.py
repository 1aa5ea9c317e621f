"""Serves the published documents of the help pages by name."""

import errno
import os
import stat

ROOT = os.path.join("test_dir", "docs")
EXTENSIONS = (".txt", ".md", ".csv")
MAX_BYTES = 4096
NOT_FOUND = "Error: not found"
TOO_LARGE = "Error: too large"


def _is_publishable(name):
    """Decide by the name alone, before the disk is touched."""
    if not isinstance(name, str) or not name or "\0" in name or os.path.isabs(name):
        return False
    parts = name.split("/")
    if any(part == "" or part.startswith(".") for part in parts):
        return False
    return parts[-1].lower().endswith(EXTENSIONS)


def _inside_root(name):
    """Return the resolved path, or None if links lead out of the folder."""
    root = os.path.realpath(ROOT)
    path = os.path.realpath(os.path.join(root, name))
    if os.path.commonpath([root, path]) != root:
        return None
    return path


def _read_limited(path):
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
    descriptor = os.open(path, flags)
    with os.fdopen(descriptor, "rb") as handle:
        info = os.fstat(handle.fileno())
        if not stat.S_ISREG(info.st_mode):
            raise OSError(errno.EISDIR, "not a regular file")
        return handle.read(MAX_BYTES + 1)


def read_document(name):
    """Return the text of a published document, or one of the two error texts."""
    if not _is_publishable(name):
        return NOT_FOUND
    try:
        path = _inside_root(name)
        if path is None:
            return NOT_FOUND
        data = _read_limited(path)
        if len(data) > MAX_BYTES:
            return TOO_LARGE
        return data.decode("utf-8")
    except (OSError, ValueError):
        return NOT_FOUND
