    random.seed(time.time())
    code = "".join(random.choices(alphabet, k=20))
    while code in RESETS:
        code = "".join(random.choices(alphabet, k=20))
    RESETS[code] = user
    return code
