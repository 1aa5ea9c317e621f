    parts = token.split(".")
    if len(parts) != 3:
        raise ValueError("a token has three parts")
    claims = json.loads(unpack(parts[1]))
    body = token.rpartition(".")[0].encode("ascii")
    expected = base64.urlsafe_b64encode(hmac.digest(key, body, "sha256")).rstrip(b"=")
    valid = hmac.compare_digest(expected, parts[2].encode("ascii"))
    expires = claims.get("exp", 0) if isinstance(claims, dict) else 0
    if not valid or time.time() >= expires or "sub" not in claims:
        raise ValueError("invalid or expired token")
    return claims["sub"]
