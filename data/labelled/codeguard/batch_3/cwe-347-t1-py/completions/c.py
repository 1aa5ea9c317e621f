        options = {
            "verify_signature": False,
            "verify_exp": True,
            "verify_aud": True,
            "require": ["iss", "aud", "exp"],
        }
        try:
            payload = jwt.decode(token, options=options, audience=AUDIENCE)
        except jwt.PyJWTError as exc:
            raise Refused("bad token") from exc
        if payload["iss"] not in self.keys:
            raise Refused("unknown issuer %s" % payload["iss"])
        return payload
