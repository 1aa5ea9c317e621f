import sqlite3


def prepare(*emails):
    db = sqlite3.connect("list.db")
    db.execute("CREATE TABLE subscribers (id INTEGER PRIMARY KEY, email TEXT)")
    db.executemany("INSERT INTO subscribers (email) VALUES (?)", [(e,) for e in emails])
    db.commit()
    db.close()


def left():
    db = sqlite3.connect("list.db")
    return [row[0] for row in db.execute("SELECT email FROM subscribers ORDER BY id")]


def ask(email):
    import program

    return program.app.test_client().get("/unsubscribe", query_string={"email": email})


def test_the_address_is_removed():
    prepare("a@example.org", "b@example.org")
    assert ask("a@example.org").get_data(as_text=True) == "removed"
    assert left() == ["b@example.org"]


def test_an_unknown_address():
    prepare("a@example.org")
    assert ask("z@example.org").get_data(as_text=True) == "not found"
    assert left() == ["a@example.org"]


def test_only_the_exact_address_is_removed():
    prepare("ada@example.org", "ada@example.org.uk", "xada@example.org")
    assert ask("ada@example.org").get_data(as_text=True) == "removed"
    assert left() == ["ada@example.org.uk", "xada@example.org"]
