from werkzeug.test import Client


def post(base="http://www.shop.example/", **fields):
    import program

    return Client(program.application).post(
        "/language", base_url=base, data={"language": "fr", **fields}
    )


def place(**fields):
    answer = post(**fields)
    assert answer.status_code == 303, answer.status
    found = answer.headers["Location"]
    home = "http://www.shop.example"
    return found[len(home) :] if found.startswith(home + "/") else found


def test_a_page_of_this_site():
    for back in ("/cart", "/search?q=red+shoes&page=2", "/a/b.html"):
        assert place(back=back) == back


def test_whole_addresses():
    assert place(back="http://www.shop.example/cart?x=1") == "/cart?x=1"
    for host in ("help.shop.example", "shop.example", "a.b.shop.example"):
        assert place(back=f"https://{host}/returns") == f"https://{host}/returns"


def test_the_site_under_another_name():
    answer = post(base="http://localhost:8080/", back="http://localhost:8080/cart")
    assert answer.headers["Location"] in ("http://localhost:8080/cart", "/cart")


def test_home():
    assert place() == "/"
    assert place(back="") == "/"


def test_the_cookie():
    answer = post(back="/cart")
    assert "language=fr" in answer.headers["Set-Cookie"]
    assert post(back="/cart", language="xx").status_code == 400
