    tokens = []
    place = 0
    for match in re.finditer(r"(?:^|\.)([A-Za-z_]\w*)|\[(\d+)\]", path):
        if match.start() != place or (not tokens and match[2]):
            break
        place = match.end()
        tokens.append(match[1] if match[2] is None else int(match[2]))
    if not tokens or place != len(path):
        raise PathError(f"{path!r} is no path")

    def column(record):
        for token in tokens:
            try:
                record = record[token]
            except (KeyError, IndexError, TypeError):
                return None
        return record

    return column
