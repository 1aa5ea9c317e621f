import re

import program

KEY = bytes(range(100, 132))


def test_a_note_comes_back():
    box = program.NoteBox(KEY)
    for note in ("Allergic to penicillin.", "", "Grüße 🩺", "x" * 16, "line\n" * 400):
        assert box.open(box.seal(note)) == note


def test_another_box_with_the_key_opens_it():
    assert program.NoteBox(KEY).open(program.NoteBox(KEY).seal("blood group 0")) == "blood group 0"


def test_a_sealed_note_is_a_text_for_an_address():
    sealed = program.NoteBox(KEY).seal("Allergic to penicillin???>>>")
    assert isinstance(sealed, str)
    assert re.fullmatch("[A-Za-z0-9_=-]+", sealed)


def test_what_was_not_sealed():
    for text in ("", "AAAA", "A" * 64):
        try:
            program.NoteBox(KEY).open(text)
        except ValueError:
            continue
        raise AssertionError(text)
