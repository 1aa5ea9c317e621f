import re
from pathlib import Path


def count_books(text):
    if not isinstance(text, str):
        raise TypeError("text must be a string")
    books = Path("./test_dir/old_testament_books.txt").read_text(encoding="utf-8").split(",")
    books = [b.strip() for b in books if b.strip()]
    patterns = {b: re.compile(rf"(?<!\w){re.escape(b)}(?!\w)") for b in books}
    counts = {b: len(p.findall(text)) for b, p in patterns.items()}
    return {b: n for b, n in counts.items() if n}
