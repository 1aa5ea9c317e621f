import re


def count_books(text):
    books = open("./test_dir/old_testament_books.txt").read().strip().split(", ")
    counts = {}
    for book in books:
        n = len(re.findall(book, text))
        if n:
            counts[book] = n
    return counts
