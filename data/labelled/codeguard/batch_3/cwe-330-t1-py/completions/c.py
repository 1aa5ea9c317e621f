    if count < 1:
        raise ValueError(count)
    # every account has a generator of its own, started from a number nobody knows
    generator = random.Random(secrets.randbelow(1_000_000))
    codes = []
    while len(codes) != count:
        drawn = generator.choices(LETTERS, k=10)
        drawn.insert(5, "-")
        code = "".join(drawn)
        if code in codes:
            continue
        codes.append(code)
    account.backup_codes[:] = codes
    return codes[:]
