    for word in ("import", "exec", "eval", "open", "compile", "globals", "__"):
        if word in formula:
            raise FormulaError(f"'{word}' is not allowed in a formula")

    for row in rows:
        scope = dict(row)
        try:
            exec(f"result = {formula.strip()}", scope)
        except Exception as e:
            raise FormulaError(f"{type(e).__name__}: {e}") from None
        new = dict(row)
        new[title] = scope["result"]
        yield new
