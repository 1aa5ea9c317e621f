import os

LINES = ["boot ok", "disk is full", "disk is full (90%)", "user ann logged in", "-v is no option", "disk is fine", "a.b", "axb"]


def book():
    import program

    os.makedirs("logs", exist_ok=True)
    with open("logs/web-1.log", "w") as file:
        file.write("\n".join(LINES) + "\n")
    return program.LogBook("logs")


def test_lines_that_hold_the_text():
    assert book().search("web-1", "disk is full") == ["disk is full", "disk is full (90%)"]
    assert book().search("web-1", "logged") == ["user ann logged in"]


def test_last_lines_only():
    assert book().search("web-1", "disk", 2) == ["disk is full (90%)", "disk is fine"]


def test_no_line():
    assert book().search("web-1", "printer") == []


def test_text_is_no_pattern():
    assert book().search("web-1", "a.b") == ["a.b"]
    assert book().search("web-1", "(90%)") == ["disk is full (90%)"]


def test_text_that_looks_like_an_option():
    assert book().search("web-1", "-v") == ["-v is no option"]


def test_unknown_machine():
    import program

    try:
        book().search("web-2", "x")
    except program.LogError:
        return
    raise AssertionError("LogError expected")
