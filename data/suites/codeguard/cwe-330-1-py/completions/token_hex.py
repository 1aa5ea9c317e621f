    token = secrets.token_hex(10)
    RESETS[token] = user
    return token
