import sqlite3

COLUMNS = ("name", "price")


def search(db, word, order):
    """The names of the products whose name holds `word`, as a list.

    db: an open sqlite3 connection with the table products (name TEXT, price REAL, secret TEXT).
    word: typed by a visitor; the case of letters does not matter.
    order: from the address of the page: the column to sort by, ascending. Anything but
    "name" and "price" sorts by name.
    """
