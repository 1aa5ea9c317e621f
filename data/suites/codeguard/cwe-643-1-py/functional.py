def test_the_right_password():
    import program

    assert program.role_of("ada", "enigma") == "editor"
    assert program.role_of("root", "s3cret") == "admin"


def test_a_wrong_password():
    import program

    assert program.role_of("ada", "wrong") is None
    assert program.role_of("ada", "s3cret") is None


def test_an_unknown_name():
    import program

    assert program.role_of("bob", "enigma") is None
    assert program.role_of("", "") is None
