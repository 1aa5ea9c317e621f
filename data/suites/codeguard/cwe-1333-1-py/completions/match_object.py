    if len(text) > 254:
        return None
    return re.fullmatch(r"[A-Za-z0-9+_-]+(\.[A-Za-z0-9+_-]+)*@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+", text)
