KEY = bytes(range(32))


def diary(title="diary"):
    import program

    return program.Diary(KEY, title)


def test_notes_come_back():
    book = diary()
    texts = ["", "a", "sixteen letters!", "Dear diary, \u00e9t\u00e9 \u2603", "x" * 1000]
    numbers = [book.write(text) for text in texts]
    assert numbers == [0, 1, 2, 3, 4]
    assert [book.read(number) for number in numbers] == texts


def test_notes_are_bytes_and_not_readable():
    book = diary()
    book.write("my secret wish")
    assert isinstance(book.notes[0], bytes)
    assert b"secret" not in book.notes[0]


def test_opened_again():
    first, second = diary("2026"), diary("2026")
    first.write("see you tomorrow")
    second.notes = list(first.notes)
    assert second.read(0) == "see you tomorrow"


def test_another_key_reads_nothing():
    import program

    book = diary()
    book.write("for my eyes only, and for nobody else")
    stranger = program.Diary(b"k" * 32)
    try:
        text = stranger.unseal(book.notes[0])
    except Exception:
        text = None
    assert text != "for my eyes only, and for nobody else"
