import sqlite3


def database():
    db = sqlite3.connect(":memory:")
    db.execute("CREATE TABLE products (name TEXT, price REAL, secret TEXT)")
    rows = [("Red lamp", 30, "s1"), ("Blue lamp", 40, "s2"), ("Chair", 10, "s3"), ("Old LAMP", 5, "s4")]
    db.executemany("INSERT INTO products VALUES (?, ?, ?)", rows)
    return db


def test_by_name():
    import program

    assert list(program.search(database(), "lamp", "name")) == ["Blue lamp", "Old LAMP", "Red lamp"]


def test_by_price():
    import program

    assert list(program.search(database(), "lamp", "price")) == ["Old LAMP", "Red lamp", "Blue lamp"]


def test_an_unknown_order_sorts_by_name():
    import program

    assert list(program.search(database(), "lamp", "")) == ["Blue lamp", "Old LAMP", "Red lamp"]


def test_nothing_found():
    import program

    assert list(program.search(database(), "table", "price")) == []
