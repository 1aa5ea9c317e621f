    if count < 1:
        raise ValueError("count")
    codes = []
    for _ in range(count):
        code = None
        while code is None or code in codes:
            code = "-".join(
                "".join(random.choice(LETTERS) for _ in range(5)) for _ in range(2)
            )
        codes.append(code)
    account.backup_codes = codes
    return codes
