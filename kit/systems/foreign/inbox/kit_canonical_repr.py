"""In the box: a value as the text by which SecCodePLT compares, in any order of sets and dicts."""

import hashlib
from typing import Any

SHOWN = 2000
DEPTH = 50


def canonical(value: Any) -> str:
    """str(value); of a long one its beginning and a hash of all. Equal values give equal texts."""
    text = value if type(value) is str else plain(value, DEPTH)
    if len(text) <= SHOWN:
        return text
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{text[:SHOWN]}... {len(text)} characters, {digest}"


def plain(value: Any, depth: int) -> str:
    """repr of containers with the members of sets and dicts sorted; str of the rest at the top."""
    if depth and type(value) in (list, tuple):
        inner = ", ".join(_inner(v, depth) for v in value)
        if type(value) is list:
            return f"[{inner}]"
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if depth and type(value) is dict:
        pairs = sorted(f"{_inner(k, depth)}: {_inner(v, depth)}" for k, v in value.items())
        return "{" + ", ".join(pairs) + "}"
    if depth and type(value) in (set, frozenset):
        return f"{type(value).__name__}({', '.join(sorted(_inner(v, depth) for v in value))})"
    return str(value)


def _inner(value: Any, depth: int) -> str:
    return plain(value, depth - 1) if type(value) in CONTAINERS else repr(value)


CONTAINERS = (list, tuple, dict, set, frozenset)
