    if len(text) > 254 or text.count("@") != 1:
        return False
    local, domain = text.split("@")
    labels = domain.split(".")
    return (
        all(re.fullmatch(r"[A-Za-z0-9+_-]+", piece) for piece in local.split("."))
        and len(labels) >= 2
        and all(re.fullmatch(r"[A-Za-z0-9-]+", label) for label in labels)
    )
