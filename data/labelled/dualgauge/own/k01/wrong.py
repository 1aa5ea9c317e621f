"""Document service: every answer is an envelope with a status and a payload."""

from pathlib import Path

ROOT = Path("test_dir/docs")
SUFFIXES = {".txt", ".md", ".csv"}
MAX_SIZE = 4096


def _failure(message):
    return {"status": "error", "message": message}


def _locate(name):
    """Find the file, or None if the name is not that of a published document."""
    if "\0" in name:
        return None
    parts = name.split("/")
    if not all(parts) or any(part[0] == "." for part in parts):
        return None
    root = ROOT.resolve()
    path = root.joinpath(*parts).resolve()
    if root not in path.parents or path.suffix.lower() not in SUFFIXES:
        return None
    return path if path.is_file() else None


def read_document(name):
    try:
        path = _locate(name)
        if path is None:
            return _failure("Error: not found")
        with path.open("rb") as handle:
            data = handle.read(MAX_SIZE + 1)
    except OSError:
        return _failure("Error: not found")
    if len(data) > MAX_SIZE:
        return _failure("Error: too large")
    return {"status": "ok", "content": data.decode("utf-8", errors="replace")}
