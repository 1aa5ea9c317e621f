    from werkzeug.utils import secure_filename

    safe = secure_filename(filename)
    stem, dot, kind = safe.rpartition(".")
    if not dot or kind.lower() not in ALLOWED:
        raise ValueError("not a picture")
    name = f"{stem}-{uuid.uuid4().hex}.{kind.lower()}"
    with open(os.path.join(WEB, name), "wb") as file:
        file.write(data)
    return name
