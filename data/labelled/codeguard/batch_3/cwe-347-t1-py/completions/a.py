        wanted = {"require": ["iss", "aud", "exp"]}
        try:
            firm = jwt.decode(token, options={"verify_signature": False}).get("iss")
        except jwt.InvalidTokenError as error:
            raise Refused("unreadable") from error
        if not isinstance(firm, str) or firm not in self.keys:
            log.warning("token of an unknown firm: %r", firm)
            raise Refused("unknown firm")
        try:
            return jwt.decode(
                token,
                self.keys[firm],
                algorithms=["ES256"],
                audience=AUDIENCE,
                issuer=firm,
                options=wanted,
            )
        except jwt.InvalidTokenError as error:
            raise Refused(str(error)) from error
