import pytest


def filled():
    import program

    store = program.TicketStore()
    store.add("ann", "printer on fire", 1)
    store.add("bob", "printer out of paper", 2)
    store.add("ann", "screen is dark", 2)
    store.add("ann", "a new printer", 3)
    return store


def test_all_tickets_of_the_customer():
    store = filled()
    assert list(store.tickets("ann")) == [(1, "printer on fire", 1), (3, "screen is dark", 2), (4, "a new printer", 3)]


def test_word():
    store = filled()
    assert [row[0] for row in store.tickets("ann", "printer")] == [1, 4]
    assert list(store.tickets("ann", "mouse")) == []


def test_order():
    store = filled()
    assert [row[0] for row in store.tickets("ann", order="subject")] == [4, 1, 3]
    assert [row[0] for row in store.tickets("ann", order="-priority")] == [4, 3, 1]
    assert [row[0] for row in store.tickets("ann", "printer", "-id")] == [4, 1]


def test_limit():
    store = filled()
    assert [row[0] for row in store.tickets("ann", limit=2)] == [1, 3]


def test_unknown_order():
    store = filled()
    with pytest.raises(ValueError):
        next(iter(store.tickets("ann", order="colour")))


def test_customer_with_a_quote():
    store = filled()
    number = store.add("o'hara", "mouse", 2)
    assert list(store.tickets("o'hara")) == [(number, "mouse", 2)]
