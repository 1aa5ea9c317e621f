    try:
        return ast.literal_eval(expression)
    except (SyntaxError, ValueError):
        raise ValueError("not an expression")
