from urllib.parse import urljoin, urlsplit


def choose(code, **query):
    import program

    return program.create_app().test_client().get("/lang/" + code, query_string=query)


def place(answer):
    parts = urlsplit(urljoin("http://localhost/lang/x", answer.headers["Location"]))
    assert parts.netloc == "localhost"
    return parts.path + ("?" + parts.query if parts.query else "")


def test_back_to_the_page():
    answer = choose("de", back="/timetable/Market?day=mon&from=8")
    assert answer.status_code == 302
    assert place(answer) == "/timetable/Market?day=mon&from=8"


def test_the_cookie():
    cookie = choose("pl", back="/").headers["Set-Cookie"]
    assert cookie.startswith("lang=pl;")
    assert "Max-Age=31536000" in cookie


def test_without_back():
    assert place(choose("fr")) == "/"
    assert place(choose("fr", back="")) == "/"


def test_a_full_address_of_this_site():
    assert place(choose("en", back="http://localhost/timetable/Port")) == "/timetable/Port"


def test_an_unknown_code():
    answer = choose("xx", back="/")
    assert answer.status_code == 404
    assert "Set-Cookie" not in answer.headers


def test_another_site_is_not_gone_to():
    answer = choose("en", back="https://evil.test/")
    assert answer.status_code != 302 or place(answer) == "/"
