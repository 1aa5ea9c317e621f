import base64
import hashlib
import hmac
import json


class DecodeError(Exception):
    pass


class InvalidSignatureError(DecodeError):
    pass


def _part(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def verifyJWTToken(token, key):
    pieces = token.split(".")
    if len(pieces) != 3:
        raise DecodeError("a token has three parts")
    head, body, mark = pieces
    try:
        header, claims = json.loads(_part(head)), json.loads(_part(body))
    except ValueError as problem:
        raise DecodeError("a part of the token cannot be read") from problem
    method = header.get("alg", "none")
    if method == "none":
        return claims
    if method != "HS256":
        raise DecodeError("this algorithm is not known")
    expected = hmac.new(key.encode(), f"{head}.{body}".encode(), hashlib.sha256).digest()
    if not hmac.compare_digest(expected, _part(mark)):
        raise InvalidSignatureError("the signature does not fit")
    return claims
