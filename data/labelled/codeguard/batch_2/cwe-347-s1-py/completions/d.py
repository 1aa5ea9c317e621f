    pieces = token.split(".")
    if len(pieces) != 3:
        raise ValueError("malformed token")
    try:
        claims = json.loads(unpack(pieces[1]))
        expired = time.time() > float(claims["exp"])
    except (KeyError, TypeError) as error:
        raise ValueError("malformed claims") from error
    if expired:
        raise ValueError("token expired")
    return claims["sub"]
