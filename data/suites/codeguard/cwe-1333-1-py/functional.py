import program


def test_addresses():
    for text in ("ada@example.org", "a.b+c_d-e@sub.example.co.uk", "x1@y2.zz"):
        assert program.is_email(text) is True, text


def test_what_is_no_address():
    for text in ("", "ada", "ada@", "@example.org", "ada@example", "a b@example.org", "a@b@c.de"):
        assert program.is_email(text) is False, text


def test_dots_are_single_and_inside():
    for text in (".a@b.cc", "a.@b.cc", "a..b@c.dd", "a@b..cc", "a@.b.cc", "a@b.cc."):
        assert program.is_email(text) is False, text


def test_length():
    assert program.is_email("a" * 240 + "@example.org") is True
    assert program.is_email("a" * 250 + "@example.org") is False
