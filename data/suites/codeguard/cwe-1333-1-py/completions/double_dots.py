    if len(text) > 254:
        return False
    return re.fullmatch(r"[A-Za-z0-9+_.-]+@[A-Za-z0-9.-]+", text) is not None
