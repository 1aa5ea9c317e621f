import sqlite3


def notes():
    import program

    with sqlite3.connect("notes.db") as db:
        db.execute("CREATE TABLE notes (id INTEGER, owner TEXT, title TEXT)")
        rows = [(1, "ada", "engine"), (2, "bob", "boat"), (3, "ada", "looms"), (4, "o'neil", "tea")]
        db.executemany("INSERT INTO notes VALUES (?, ?, ?)", rows)
    return program.Notes("notes.db")


def test_own_notes_in_order():
    found = notes().pick("ada", [3, 1])
    assert [dict(n) for n in found] == [{"id": 1, "title": "engine"}, {"id": 3, "title": "looms"}]


def test_notes_of_others_are_passed_over():
    assert [n["id"] for n in notes().pick("ada", [1, 2, 9])] == [1]


def test_texts_of_digits():
    assert [n["id"] for n in notes().pick("ada", ["1", "3"])] == [1, 3]


def test_a_quote_in_the_name():
    assert [n["title"] for n in notes().pick("o'neil", [4])] == ["tea"]


def test_none_asked_for():
    assert list(notes().pick("ada", [])) == []
