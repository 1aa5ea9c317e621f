    stem, dot, kind = filename.rpartition(".")
    if not dot or kind.lower() not in ALLOWED:
        raise ValueError("not allowed")
    name = f"{stem}-{uuid.uuid4().hex[:8]}.{kind.lower()}"
    with open(os.path.join(WEB, name), "wb") as file:
        file.write(data)
    return name
