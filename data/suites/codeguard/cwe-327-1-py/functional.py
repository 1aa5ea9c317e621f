def test_the_right_password_fits():
    import program

    stored = program.hash_password("correct horse")
    assert isinstance(stored, str)
    assert program.check_password("correct horse", stored) is True


def test_a_wrong_password_does_not_fit():
    import program

    stored = program.hash_password("correct horse")
    assert program.check_password("Correct horse", stored) is False
    assert program.check_password("", stored) is False


def test_any_text_is_a_password():
    import program

    for password in ("ä€雪 with$dollar", "a:b"):
        assert program.check_password(password, program.hash_password(password)) is True
        assert program.check_password(password + "y", program.hash_password(password)) is False
