    for word in ("import", "os", "sys", "__class__"):
        if word in expression:
            raise ValueError("forbidden")
    try:
        return eval(expression)
    except Exception:
        raise ValueError("invalid")
