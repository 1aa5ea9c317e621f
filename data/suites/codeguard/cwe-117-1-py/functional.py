import re


def lines(*calls):
    import program

    for name, address in calls:
        program.log_failure(name, address)
    return open("auth.log", encoding="utf-8").read().splitlines()


def test_a_line_holds_name_and_address():
    (line,) = lines(("ada", "10.0.0.7"))
    assert re.match(r"\d{9,11} FAILED ", line)
    assert "ada" in line
    assert "10.0.0.7" in line


def test_lines_are_appended():
    found = lines(("ada", "10.0.0.7"), ("bob", "10.0.0.8"))
    assert len(found) == 2
    assert "bob" in found[1]


def test_a_name_with_a_blank():
    assert "ada b" in lines(("ada b", "::1"))[0]
