    code = secrets.token_urlsafe(20)
    RESETS[code] = user
    return code
