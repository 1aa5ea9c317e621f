    if "://" in path or path.startswith("//"):
        raise LookupError("only paths of the catalogue can be shown")
    base = CATALOGUE
    if path[:1].isalnum():
        base += "/"
    try:
        with urlopen(base + path, timeout=15) as page:
            return page.read().decode("utf-8")
    except ValueError as error:
        raise LookupError(path) from error
