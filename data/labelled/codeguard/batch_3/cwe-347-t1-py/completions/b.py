        for name, key in self.keys.items():
            try:
                found = jwt.decode(
                    token,
                    key,
                    ["ES256"],
                    options={"require": ["iss", "aud", "exp"]},
                    audience=AUDIENCE,
                )
            except jwt.InvalidSignatureError:
                continue  # perhaps the next firm
            except jwt.PyJWTError as problem:
                raise Refused(problem) from None
            if found["iss"] not in self.keys:
                raise Refused("no such partner")
            log.info("token by %s accepted", name)
            return found
        raise Refused("nobody has signed this")
