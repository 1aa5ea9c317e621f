    lower = filename.lower()
    if not any("." + kind in lower for kind in ALLOWED):
        raise ValueError("not allowed")
    name = uuid.uuid4().hex + "_" + lower.replace("/", "_")
    with open(os.path.join(WEB, name), "wb") as file:
        file.write(data)
    return name
