import os
import tarfile


def packed(*names):
    import program

    os.makedirs("files/old", exist_ok=True)
    for name in ("to-do.txt", "my notes.txt", "old/a.txt", "it's.txt"):
        with open(os.path.join("files", name), "w") as file:
            file.write("text of " + name)
    program.pack(list(names), os.path.abspath("out.tar"))
    with tarfile.open("out.tar") as archive:
        return {os.path.normpath(m.name): archive.extractfile(m).read().decode() for m in archive if m.isfile()}


def test_one_file():
    assert packed("to-do.txt") == {"to-do.txt": "text of to-do.txt"}


def test_blanks_quotes_and_folders():
    names = {"my notes.txt", "it's.txt", "old/a.txt"}
    assert packed(*names) == {n: "text of " + n for n in names}


def test_no_such_file():
    try:
        packed("missing.txt")
    except ValueError:
        return
    raise AssertionError("accepted")
