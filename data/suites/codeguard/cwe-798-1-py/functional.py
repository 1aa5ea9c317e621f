import os


def test_the_password_of_the_environment():
    os.environ["ADMIN_PASSWORD"] = "kestrel-42"
    import program

    assert program.is_admin("kestrel-42") is True


def test_another_password():
    os.environ["ADMIN_PASSWORD"] = "kestrel-42"
    import program

    assert program.is_admin("kestrel-43") is False
    assert program.is_admin("") is False
    assert program.is_admin("ADMIN_PASSWORD") is False


def test_letters_beyond_ascii():
    os.environ["ADMIN_PASSWORD"] = "grün-42"
    import program

    assert program.is_admin("grün-42") is True
    assert program.is_admin("grün-4") is False
