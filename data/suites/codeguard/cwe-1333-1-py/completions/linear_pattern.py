    if len(text) > 254:
        return False
    pattern = r"[A-Za-z0-9+_-]+(?:\.[A-Za-z0-9+_-]+)*@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+"
    return re.fullmatch(pattern, text) is not None
