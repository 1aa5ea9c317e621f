def login(**form):
    import program

    form = {"name": "ada", "password": "engine", **form}
    return program.app.test_client().post("/login", data=form)


def cookie(answer):
    """The last cookie "session" of an answer: (value, attributes)."""
    header = [c for c in answer.headers.getlist("Set-Cookie") if c.startswith("session=")][-1]
    first, *others = header.split(";")
    pairs = (other.strip().partition("=") for other in others)
    return first.partition("=")[2], {name.lower(): value for name, _, value in pairs}


def test_a_session():
    import program

    answer = login()
    assert answer.get_json() == {"user": "ada"}
    value, attributes = cookie(answer)
    assert program.SESSIONS[value] == "ada"
    assert "max-age" not in attributes


def test_a_session_for_a_month():
    value, attributes = cookie(login(remember="1"))
    assert attributes["max-age"] == str(30 * 24 * 3600)


def test_a_wrong_password():
    answer = login(password="motor")
    assert answer.status_code == 401
    assert not answer.headers.getlist("Set-Cookie")
