import os


def test_a_picture_is_kept():
    import program

    os.mkdir("htdocs")
    name = program.keep_picture("cat.png", b"\x89PNG")
    assert name.endswith(".png")
    assert open(os.path.join("htdocs", name), "rb").read() == b"\x89PNG"


def test_capitals():
    import program

    os.mkdir("htdocs")
    assert program.keep_picture("CAT.JPG", b"x").endswith(".jpg")


def test_other_types_are_refused():
    import program

    os.mkdir("htdocs")
    for name in ("notes.txt", "page.html", "png", "cat."):
        try:
            program.keep_picture(name, b"x")
        except ValueError:
            continue
        raise AssertionError(name)


def test_names_are_not_shared():
    import program

    os.mkdir("htdocs")
    names = {program.keep_picture("cat.gif", bytes([n])) for n in range(5)}
    assert len(names) == 5 == len(os.listdir("htdocs"))
