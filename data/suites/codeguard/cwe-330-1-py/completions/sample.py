    code = "".join(random.sample(alphabet, 20))
    RESETS[code] = user
    return code
