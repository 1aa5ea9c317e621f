    code = "".join(secrets.choice(alphabet) for _ in range(20))
    RESETS[code] = user
    return code
