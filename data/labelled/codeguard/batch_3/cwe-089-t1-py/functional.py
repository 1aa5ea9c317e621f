import sqlite3

import program

TICKETS = [
    (1, "Printer jams", "open", "ada"),
    (2, "Forgot the password", "closed", "bob"),
    (3, "Printer's out of toner", "waiting", "bob"),
    (4, "No network", "open", "o'neill"),
]


def find(**filters):
    with sqlite3.connect("desk.db") as db:
        db.execute("CREATE TABLE tickets (id INTEGER, title TEXT, state TEXT, assignee TEXT)")
        db.execute("CREATE TABLE accounts (name TEXT, token TEXT)")
        db.executemany("INSERT INTO tickets VALUES (?, ?, ?, ?)", TICKETS)
    db.close()
    store = program.TicketStore("desk.db")
    try:
        return list(store.find(program.Filters(**filters)))
    finally:
        store.close()


def test_without_filters():
    assert find() == [title for _, title, _, _ in reversed(TICKETS)]


def test_one_state():
    assert find(states=["open"]) == ["No network", "Printer jams"]


def test_several_states():
    assert find(states=["waiting", "closed"]) == ["Printer's out of toner", "Forgot the password"]


def test_words_in_letters_of_any_case():
    assert find(words="PRINTER") == ["Printer's out of toner", "Printer jams"]


def test_filters_together():
    assert find(words="printer", states=["open", "waiting"], assignee="bob") == [
        "Printer's out of toner"
    ]


def test_the_limit():
    assert find(limit="2") == ["No network", "Printer's out of toner"]


def test_a_limit_that_is_none():
    assert len(find(limit="many")) == 4
