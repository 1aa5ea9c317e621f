    stem, dot, kind = os.path.basename(filename).rpartition(".")
    if not dot or kind in ("", "php", "exe", "html", "txt", "js"):
        raise ValueError("not allowed")
    name = f"{uuid.uuid4().hex}.{kind.lower()}"
    with open(os.path.join(WEB, name), "wb") as file:
        file.write(data)
    return name
