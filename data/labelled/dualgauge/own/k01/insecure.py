"""Help page documents, looked up below the document root."""

import os

DOC_ROOT = os.path.abspath("test_dir/docs")
ALLOWED = {".txt", ".md", ".csv"}
LIMIT = 4096


def _resolve(name):
    """Join the name to the document root and make sure that it stays there."""
    path = os.path.abspath(os.path.join(DOC_ROOT, name))
    if not path.startswith(DOC_ROOT):
        return None
    return path


def _is_hidden(name):
    return name.startswith(".") and not name.startswith("..")


def read_document(name):
    if not name or _is_hidden(name):
        return "Error: not found"

    path = _resolve(name)
    if path is None:
        return "Error: not found"

    extension = os.path.splitext(path)[1].lower()
    if extension not in ALLOWED:
        return "Error: not found"

    try:
        with open(path, encoding="utf-8", newline="") as handle:
            text = handle.read()
    except (FileNotFoundError, IsADirectoryError):
        return "Error: not found"

    if len(text) > LIMIT:
        return "Error: too large"
    return text
