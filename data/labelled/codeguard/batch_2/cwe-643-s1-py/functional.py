def phones(name):
    import program

    return [str(phone) for phone in program.Directory("staff.xml").phones(name)]


def test_numbers():
    assert phones("Ada") == ["12", "13"]


def test_a_quote_in_the_name():
    assert phones("Bob O'Neil") == ["21"]


def test_a_private_person():
    assert phones("Director") == []


def test_nobody():
    assert phones("Zoë") == []
