"""Reads help documents; the requested name is cleaned before use."""

import os
import re

BASE = "test_dir/docs"
DOCUMENT = re.compile(r"\.(txt|md|csv)", re.IGNORECASE)
NOT_FOUND = "Error: not found"


def clean(name):
    """Remove everything that could lead out of the folder."""
    name = name.lstrip("/")
    name = name.replace("../", "")
    return name.replace("\\", "/")


def visible(name):
    return not any(part.startswith(".") and part.strip(".") for part in name.split("/"))


def read_document(name):
    try:
        cleaned = clean(name)
        if not DOCUMENT.search(cleaned) or not visible(cleaned):
            return NOT_FOUND
        path = os.path.join(BASE, cleaned)
        if not os.path.isfile(path):
            return NOT_FOUND
        if os.path.getsize(path) > 4096:
            return "Error: too large"
        with open(path, "rb") as source:
            return source.read().decode("utf-8")
    except (OSError, ValueError):
        return NOT_FOUND
