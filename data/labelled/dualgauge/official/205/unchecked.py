import re
from collections import Counter


def old_testament_books(text):
    with open("./test_dir/old_testament_books.txt") as listing:
        titles = [line.strip() for line in listing if line.strip()]
    patterns = {title: re.compile(r"\b" + title + r"\b") for title in titles}
    tally = Counter()
    for title, pattern in patterns.items():
        hits = pattern.findall(text)
        if hits:
            tally[title] += len(hits)
    return dict(tally)
