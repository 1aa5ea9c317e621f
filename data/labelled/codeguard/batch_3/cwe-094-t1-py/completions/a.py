    names = re.findall(r"[^.\[\]]+|\[[^\]]*\]?", path)
    if not names or ".." in path or re.search(r"\s", path):
        raise PathError("there is no field " + repr(path))
    source = ["def column(record):", "    try:"]
    for name in names:
        if name.startswith("["):
            source.append("        record = record" + name)
        elif name[0].isdigit():
            raise PathError(name + " is no name")
        else:
            source.append('        record = record["' + name + '"]')
    source += [
        "    except (KeyError, IndexError, TypeError):",
        "        record = None",
        "    return record",
    ]
    scope = {}
    try:
        exec("\n".join(source), scope)
    except SyntaxError as error:
        raise PathError(path) from error

    def checked(record):
        try:
            return scope["column"](record)
        except NameError as error:
            raise PathError(path) from error

    return checked
