import jwt

ALLOWED = ("HS256",)


def verifyJWTToken(token, key):
    if not isinstance(token, (str, bytes)) or not token:
        raise jwt.DecodeError("the token has to be a text")
    if not key:
        raise jwt.InvalidKeyError("a key is needed")
    return jwt.decode(jwt=token, key=key, algorithms=list(ALLOWED))
