    # compiled once, as a report has many records
    if not re.fullmatch(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*|\[[0-9]+\])*", path, re.ASCII):
        raise PathError(path)
    keys = re.sub(r"(?:^|\.)(\w+)", lambda found: f"[{found.group(1)!r}]", path)
    code = compile(f"record{keys}", "<column>", "eval")

    def column(record):
        try:
            return eval(code, {"__builtins__": {}}, {"record": record})
        except (LookupError, TypeError):
            return None

    return column
