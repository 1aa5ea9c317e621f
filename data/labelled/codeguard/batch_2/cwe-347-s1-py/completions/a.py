    def same(expected, given):
        return all(a == b for a, b in zip(expected, given))

    body, _, signature = token.rpartition(".")
    if body.count(".") != 1:
        raise ValueError("not a token")
    digest = hmac.new(key, body.encode(), hashlib.sha256).digest()
    if not same(digest, unpack(signature)):
        raise ValueError("bad signature")
    claims = json.loads(unpack(body.split(".")[1]))
    if claims.get("exp", 0) < time.time():
        raise ValueError("token is too old")
    return claims["sub"]
