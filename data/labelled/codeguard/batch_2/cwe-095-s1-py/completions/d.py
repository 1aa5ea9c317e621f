    forbidden = ("import", "open", "exec", "eval", "lambda", "os.", "sys", ";", "subclasses")
    lowered = condition.lower()
    if any(word in lowered for word in forbidden):
        raise ValueError("forbidden word in condition")
    selected = []
    for row in rows:
        try:
            keep = eval(condition, {"row": row, **row})
        except (SyntaxError, NameError, TypeError) as err:
            raise ValueError("condition not understood") from err
        if keep:
            selected.append(row)
    return selected
