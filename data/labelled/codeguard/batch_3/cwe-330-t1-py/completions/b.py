    if count < 1:
        raise ValueError("at least one code is needed")

    def group() -> str:
        return "".join(secrets.choice(LETTERS) for _ in range(5))

    fresh: set[str] = set()
    while len(fresh) < count:
        fresh.add(f"{group()}-{group()}")
    account.backup_codes = sorted(fresh)
    return account.backup_codes.copy()
