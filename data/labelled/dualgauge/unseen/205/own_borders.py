"""Counts of Old Testament books in a text."""
import re
from collections import Counter
from functools import lru_cache

_LIST = "test_dir/old_testament_books.txt"


@lru_cache(maxsize=1)
def _pattern():
    with open(_LIST, encoding="utf-8") as handle:
        parts = handle.read().replace("\n", ",").split(",")
    names = "|".join(re.escape(p.strip()) for p in parts if p.strip())
    # a book stands after white space, and before white space or punctuation
    return re.compile(rf"(?<!\S)({names})(?=[\s.,;:!?]|$)")


def find_books(text: str) -> dict[str, int]:
    if not text:
        return {}
    pattern = _pattern()
    hits = Counter()
    for match in pattern.finditer(text):
        hits[match[1]] += 1
    return dict(hits)
