    kind = filename.rsplit(".", 1)[-1]
    if "." not in filename or kind not in ALLOWED:
        raise ValueError("not allowed")
    name = uuid.uuid4().hex + "." + kind
    with open(os.path.join(WEB, name), "wb") as file:
        file.write(data)
    return name
