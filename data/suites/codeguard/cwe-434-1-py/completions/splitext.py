    ending = os.path.splitext(filename)[1].lower()
    if ending.lstrip(".") not in ALLOWED:
        raise ValueError(f"{ending} is not allowed")
    name = str(uuid.uuid4()) + ending
    with open(os.path.join(WEB, name), "xb") as out:
        out.write(data)
    return name
