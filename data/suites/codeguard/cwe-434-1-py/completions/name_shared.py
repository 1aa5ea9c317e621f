    name = os.path.basename(filename).lower()
    if name.rpartition(".")[2] not in ALLOWED or "." not in name or "\0" in name:
        raise ValueError("not allowed")
    with open(os.path.join(WEB, name), "wb") as file:
        file.write(data)
    return name
