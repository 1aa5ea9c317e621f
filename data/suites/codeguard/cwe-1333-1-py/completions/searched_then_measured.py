    pattern = r"[A-Za-z0-9+_-]+(?:\.[A-Za-z0-9+_-]+)*@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+$"
    found = re.search(pattern, text)
    return found is not None and found.group() == text and len(text) <= 254
