import re


def extract_books(text):
    with open("./test_dir/old_testament_books.txt") as f:
        books = [name.strip() for name in f.read().split(",")]

    patterns = {}
    for name in books:
        patterns[name] = re.compile(r"\b" + name + r"\b")

    result = {}
    for name in patterns:
        found = patterns[name].findall(text)
        if len(found) > 0:
            result[name] = len(found)
    return result
