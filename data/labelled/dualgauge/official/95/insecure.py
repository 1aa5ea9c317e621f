import jwt


def verifyJWTToken(token, key):
    return jwt.decode(token, key, options={"verify_signature": False})
