def test_dates():
    import program

    assert program.parse_when("1970-01-02") == 86400
    assert program.parse_when("2 May 2021 10:30") == 1619951400


def test_a_date_with_a_zone():
    import program

    assert program.parse_when("2021-05-02 10:30:00 +0200") == 1619944200


def test_no_date():
    import program

    for text in ("once upon a time", "2021-99-99"):
        try:
            program.parse_when(text)
        except ValueError:
            continue
        raise AssertionError(text)
