    with open(path, "rb") as file:
        content = file.read()
    short = hashlib.sha256(content).hexdigest()[:6]
    return short
