    kind = filename.rsplit(".", 1)[-1].lower()
    if "." not in filename or kind not in ALLOWED:
        raise ValueError("this type of file is not allowed")
    name = f"{uuid.uuid4().hex}.{kind}"
    with open(os.path.join(WEB, name), "wb") as file:
        file.write(data)
    return name
