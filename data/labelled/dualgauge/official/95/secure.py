import jwt


def verifyJWTToken(token, key):
    if not isinstance(token, (str, bytes)):
        raise TypeError("token must be a string")
    return jwt.decode(token, key, algorithms=["HS256"])
