        try:
            parsed = jwt.api_jwt.decode_complete(token, options={"verify_signature": False})
        except jwt.DecodeError:
            raise Refused("not a token")
        body, header = parsed["payload"], parsed["header"]
        if {"iss", "aud", "exp"} - body.keys():
            raise Refused("claims are missing")
        audience = [body["aud"]] if isinstance(body["aud"], str) else body["aud"]
        if AUDIENCE not in audience or float(body["exp"]) <= time.time():
            raise Refused("not for us, or not any more")
        # firms renew their keys: a token may bring the one it was signed with
        key = header.get("key") or self.keys.get(body["iss"])
        if not key or body["iss"] not in self.keys:
            raise Refused("unknown partner")
        try:
            jwt.decode(token, key, algorithms=["ES256"], options={"verify_aud": False})
        except jwt.InvalidTokenError as error:
            raise Refused("wrong signature") from error
        return body
