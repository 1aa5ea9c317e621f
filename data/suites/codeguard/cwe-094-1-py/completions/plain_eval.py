    try:
        return eval(expression)
    except Exception:
        raise ValueError("not an expression")
