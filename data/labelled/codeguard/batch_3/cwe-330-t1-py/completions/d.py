    if count <= 0:
        raise ValueError("count must be positive")
    rng = random.SystemRandom()
    codes = {}
    while len(codes) < count:
        left, right = ("".join(rng.choices(LETTERS, k=5)) for _ in "ab")
        codes[left + "-" + right] = None
    account.backup_codes = list(codes)
    return list(codes)
