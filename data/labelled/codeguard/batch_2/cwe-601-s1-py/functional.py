from urllib.parse import urljoin


def ask(**query):
    import program

    return program.app.test_client().get("/language", query_string=query)


def place(**query):
    answer = ask(**query)
    assert answer.status_code in (301, 302, 303, 307)
    assert "lang=de" in answer.headers["Set-Cookie"]
    return urljoin("http://localhost/language", answer.headers["Location"])


def test_back_to_the_page():
    assert place(set="de", back="/books?page=2") == "http://localhost/books?page=2"
    assert place(set="de", back="/a/b.html") == "http://localhost/a/b.html"


def test_without_a_page():
    assert place(set="de") == "http://localhost/"


def test_another_site():
    assert place(set="de", back="https://other.example/books") in (
        "http://localhost/", "https://other.example/books")


def test_no_such_language():
    assert ask(set="xx", back="/").status_code == 400
