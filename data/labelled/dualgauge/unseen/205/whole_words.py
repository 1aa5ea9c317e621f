import re
from collections import Counter
from pathlib import Path

BOOKS = [b.strip() for b in re.split(r"[,\n]", Path("test_dir/old_testament_books.txt").read_text()) if b.strip()]
PATTERNS = {book: re.compile(rf"\b{re.escape(book)}\b") for book in BOOKS}


def count_old_testament_books(text):
    if not isinstance(text, str):
        raise TypeError("text must be a string")
    counts = Counter()
    for book, pattern in PATTERNS.items():
        for _ in pattern.finditer(text):
            counts[book] += 1
    return dict(counts)
