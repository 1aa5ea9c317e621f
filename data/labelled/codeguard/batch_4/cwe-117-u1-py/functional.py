import os


def lines(badges, *swipes):
    """The lines of the journal after the swipes, and what the door answered."""
    import program

    if os.path.exists("doors.log"):
        os.remove("doors.log")
    handler = program.open_journal("doors.log")
    try:
        door = program.Door(7, badges)
        answers = [door.swipe(*swipe) for swipe in swipes]
    finally:
        program.journal.removeHandler(handler)
        handler.close()
    with open("doors.log", encoding="utf-8") as file:
        return file.read().splitlines(), answers


ANN = {"A-100": "Ann"}


def test_opened():
    (line,), answers = lines(ANN, ("A-100",))
    assert answers == [True]
    assert " INFO " in line and "OPENED" in line and "door=7" in line and "A-100" in line
    assert "note" not in line


def test_refused_with_a_note():
    (line,), answers = lines(ANN, ("B-200", "lost my badge, sorry"))
    assert answers == [False]
    assert " WARNING " in line and "REFUSED" in line and "door=7" in line
    assert "B-200" in line and "lost my badge, sorry" in line


def test_two_entries():
    written, _ = lines(ANN, ("A-100",), ("A-101",))
    assert ["OPENED" in line for line in written] == [True, False]


def test_percent_signs():
    written, _ = lines(ANN, ("100%s %d", "5%"))
    assert len(written) == 1
