import os
import re

HERE = os.path.join(".", "test_dir", "old_testament_books.txt")


def _load():
    with open(HERE, "rt", encoding="utf8") as fh:
        return sorted((b.strip() for b in fh.read().split(",") if b.strip()), key=len, reverse=True)


def book_counts(text):
    if text is None or not isinstance(text, str):
        return {"error": "text must be a string"}
    pattern = re.compile(r"(?<!\w)(" + "|".join(map(re.escape, _load())) + r")(?!\w)")
    counts = {}
    match = pattern.search(text)
    while match is not None:
        counts[match.group(1)] = counts.get(match.group(1), 0) + 1
        match = pattern.search(text, match.end())
    return counts
