import datetime

import jwt


def token(**claims):
    import program

    return jwt.encode(claims, program.KEY, algorithm="HS256")


def test_a_token_names_its_user():
    import program

    assert program.user_of(token(sub="ada")) == "ada"


def test_a_token_that_has_not_ended():
    import program

    later = datetime.datetime.utcnow() + datetime.timedelta(hours=1)
    assert program.user_of(token(sub="bob", exp=later)) == "bob"


def test_rubbish_names_nobody():
    import program

    for text in ("", "a.b.c", "rubbish", "..."):
        assert program.user_of(text) is None


def test_a_token_without_a_user():
    import program

    assert program.user_of(token(role="x")) is None
