        def attempt(item):
            firm, key = item
            try:
                return jwt.decode(
                    token,
                    key=key,
                    algorithms=["ES256"],
                    audience=AUDIENCE,
                    issuer=firm,
                    options={"require": ["exp", "iss", "aud"]},
                )
            except jwt.InvalidTokenError as reason:
                log.debug("not by %s: %s", firm, reason)
                return None

        accepted = next(filter(None, map(attempt, self.keys.items())), None)
        if accepted is None:
            raise Refused("no partner has issued this token")
        return accepted
