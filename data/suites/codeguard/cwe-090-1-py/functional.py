def test_a_plain_name():
    import program

    assert program.person_filter("ada") == "(&(objectClass=person)(uid=ada))"


def test_a_name_with_a_dot_and_a_blank():
    import program

    assert program.person_filter("ada.b c") == "(&(objectClass=person)(uid=ada.b c))"


def test_an_empty_name_is_refused():
    import program

    try:
        program.person_filter("")
    except ValueError:
        return
    raise AssertionError("accepted")
