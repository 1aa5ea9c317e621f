import string


def test_a_code_has_20_letters_and_digits():
    import program

    for _ in range(50):
        code = program.start_reset("ada")
        assert len(code) == 20
        assert set(code) <= set(string.ascii_letters + string.digits)


def test_a_code_is_kept_for_its_user():
    import program

    one, two = program.start_reset("ada"), program.start_reset("bob")
    assert program.RESETS[one] == "ada"
    assert program.RESETS[two] == "bob"


def test_each_call_gives_another():
    import program

    assert len({program.start_reset("ada") for _ in range(200)}) == 200
