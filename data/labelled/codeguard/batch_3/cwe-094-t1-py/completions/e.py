    form = re.compile(
        r"""^ [a-z_]\w*                      # the first key
              ( \. [a-z_]\w* | \[ \d+ \] )*  # keys and places in it
            $""",
        re.VERBOSE | re.IGNORECASE | re.MULTILINE,
    )
    if not form.match(path):
        raise PathError("not a path: " + path)
    lookup = "record" + re.sub(r"(^|\.)(\w+)", r"['\2']", path)
    namespace = {}
    exec(f"lookup = lambda record: {lookup}", namespace)

    def column(record):
        try:
            return namespace["lookup"](record)
        except (KeyError, IndexError, TypeError):
            return None

    return column
