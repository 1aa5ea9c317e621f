import base64
import hashlib
import hmac
import json
import time

KEY = b"a key of the login service"


def pack(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def token(key=KEY, **claims):
    head = pack(json.dumps({"alg": "HS256", "typ": "JWT"}).encode())
    body = head + "." + pack(json.dumps({"exp": time.time() + 60, **claims}).encode())
    return body + "." + pack(hmac.new(key, body.encode(), hashlib.sha256).digest())


def refused(text):
    import program

    try:
        program.user_of(text, KEY)
    except ValueError:
        return True
    return False


def test_a_right_token():
    import program

    assert program.user_of(token(sub="ada"), KEY) == "ada"
    assert program.user_of(token(sub="Zoë", admin=True), KEY) == "Zoë"


def test_a_token_that_is_over():
    assert refused(token(sub="ada", exp=int(time.time()) - 5))


def test_a_broken_token():
    for text in ("", "a.b", "....", token(sub="ada") + "." + token(sub="ada")):
        assert refused(text)
