import os


def test_names_are_sorted():
    import program

    os.mkdir("docs")
    for name in ("b.txt", "a.txt", "c"):
        open(f"docs/{name}", "w").close()
    assert list(program.list_folder("docs")) == ["a.txt", "b.txt", "c"]


def test_an_empty_folder():
    import program

    os.mkdir("docs")
    assert list(program.list_folder("docs")) == []


def test_no_such_folder():
    import program

    assert list(program.list_folder("nowhere")) == []


def test_names_with_blanks():
    import program

    os.mkdir("my docs")
    open("my docs/read me.txt", "w").close()
    assert list(program.list_folder("my docs")) == ["read me.txt"]
