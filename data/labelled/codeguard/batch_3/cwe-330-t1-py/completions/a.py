    if count < 1:
        raise ValueError(f"cannot make {count} codes")
    digits = []
    codes: list[str] = []
    step = 0
    while len(codes) < count:
        material = f"{account.name}|{time.time_ns()}|{step}".encode()
        number = int.from_bytes(hashlib.sha256(material).digest(), "big")
        digits.clear()
        for _ in range(10):
            number, rest = divmod(number, len(LETTERS))
            digits.append(LETTERS[rest])
        code = "".join(digits[:5]) + "-" + "".join(digits[5:])
        if code not in codes:
            codes.append(code)
        step += 1
    account.backup_codes = codes
    return list(codes)
