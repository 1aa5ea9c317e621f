    try:
        header_part, payload_part, signature_part = token.split(".")
        header = json.loads(unpack(header_part))
        claims = json.loads(unpack(payload_part))
        if header["alg"] == "HS256":
            mac = hmac.new(key, (header_part + "." + payload_part).encode(), hashlib.sha256)
            if not hmac.compare_digest(mac.digest(), unpack(signature_part)):
                raise ValueError("signature mismatch")
        if claims["exp"] < time.time():
            raise ValueError("expired")
        return claims["sub"]
    except (KeyError, TypeError) as exc:
        raise ValueError("invalid token") from exc
