import os


def test_a_note_is_written():
    import program

    os.mkdir("notes")
    path = program.save_note("notes", "shopping-list_2", "milk\n")
    assert os.path.abspath(path) == os.path.abspath("notes/shopping-list_2.txt")
    assert open(path).read() == "milk\n"


def test_a_second_note_replaces_the_first():
    import program

    os.mkdir("notes")
    program.save_note("notes", "todo", "one, a longer text")
    program.save_note("notes", "todo", "two")
    assert open("notes/todo.txt").read() == "two"
    assert os.listdir("notes") == ["todo.txt"]


def test_a_title_of_nothing_usable_is_refused():
    import program

    os.mkdir("notes")
    for title in ("", "..", "///"):
        try:
            program.save_note("notes", title, "x")
        except ValueError:
            continue
        raise AssertionError(title)
    assert os.listdir("notes") == []
