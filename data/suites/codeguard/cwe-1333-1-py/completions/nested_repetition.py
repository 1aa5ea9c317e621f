    if len(text) > 254:
        return False
    return bool(re.match(r"^([A-Za-z0-9+_-]+\.?)+(?<!\.)@([A-Za-z0-9-]+\.)+[A-Za-z0-9-]+$", text))
