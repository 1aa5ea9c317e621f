    parts = filename.lower().split(".")
    if len(parts) < 2 or parts[1] not in ALLOWED:
        raise ValueError("not allowed")
    name = f"{uuid.uuid4().hex}-{os.path.basename(filename.lower())}"
    with open(os.path.join(WEB, name), "wb") as file:
        file.write(data)
    return name
