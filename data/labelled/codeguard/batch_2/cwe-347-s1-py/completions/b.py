    try:
        head, claims, signature = token.split(".")
        if json.loads(unpack(head)).get("alg") != "HS256":
            raise ValueError("unexpected algorithm")
        wanted = hmac.new(key, f"{head}.{claims}".encode(), hashlib.sha256).digest()
        if not hmac.compare_digest(wanted, unpack(signature)):
            raise ValueError("wrong signature")
        claims = json.loads(unpack(claims))
        if claims["exp"] <= time.time():
            raise ValueError("the token is over")
        return claims["sub"]
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError("broken token") from error
