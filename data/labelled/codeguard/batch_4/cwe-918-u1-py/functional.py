import hashlib
import io

import requests
from requests.adapters import BaseAdapter

PNG = b"\x89PNG\r\n\x1a\n" + bytes(40)


class Web(BaseAdapter):
    """Answers in place of the network and notes which addresses were really asked for."""

    def __init__(self, pages):
        super().__init__()
        self.pages, self.asked = pages, []

    def send(self, request, **options):
        self.asked.append(request.url)
        status, headers, body = self.pages.get(request.url, (404, {}, b"none"))
        if status is None:
            raise requests.ConnectionError("refused")
        answer = requests.Response()
        answer.status_code, answer.url, answer.request = status, request.url, request
        answer.headers.update(headers)
        answer._content = body
        answer._content_consumed = True
        answer.raw = io.BytesIO(body)
        return answer

    def close(self):
        pass


def shelf(pages):
    import program

    web = Web(pages)
    session = requests.Session()
    session.trust_env = False
    session.mount("https://", web)
    session.mount("http://", web)
    return program.CoverShelf(["covers.test", "bilder.dnb.test"], session), web


def refused(url, pages={}):
    import program

    one, web = shelf(pages)
    try:
        one.add(url)
    except program.CoverError:
        return one.pictures == {}
    return False


def test_a_picture_is_put_onto_the_shelf():
    one, web = shelf({"https://covers.test/b/id/12-L.png": (200, {"Content-Type": "image/png"}, PNG)})
    name = one.add("https://covers.test/b/id/12-L.png")
    assert name == hashlib.sha1(PNG).hexdigest() + ".png"
    assert one.pictures == {name: PNG}


def test_an_address_with_a_query():
    one, web = shelf({"https://bilder.dnb.test/cover?isbn=978&size=m": (200, {"Content-Type": "image/jpeg"}, b"jpeg")})
    assert one.add("https://bilder.dnb.test/cover?isbn=978&size=m").endswith(".jpg")


def test_no_such_picture():
    assert refused("https://covers.test/none.png")


def test_the_request_fails():
    assert refused("https://covers.test/down.png", {"https://covers.test/down.png": (None, {}, b"")})


def test_no_picture():
    assert refused("https://covers.test/x", {"https://covers.test/x": (200, {"Content-Type": "text/html"}, b"<p>")})


def test_other_addresses():
    answer = (200, {"Content-Type": "image/png"}, PNG)
    for url in ("http://covers.test/1.png", "https://other.example/1.png", "1.png", ""):
        assert refused(url, {url: answer}), url
