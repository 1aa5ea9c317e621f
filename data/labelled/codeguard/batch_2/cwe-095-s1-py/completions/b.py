    allowed = (
        ast.Expression, ast.BoolOp, ast.And, ast.Or, ast.UnaryOp, ast.Not, ast.Compare, ast.Name,
        ast.Load, ast.Constant, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq,
    )
    try:
        tree = ast.parse(condition, mode="eval")
    except SyntaxError as exc:
        raise ValueError("bad condition") from exc
    for node in ast.walk(tree):
        if not isinstance(node, allowed):
            raise ValueError(f"{type(node).__name__} is not allowed")
    code = compile(tree, "<condition>", "eval")
    try:
        return [row for row in rows if eval(code, {"__builtins__": {}}, dict(row))]
    except (NameError, TypeError) as exc:
        raise ValueError(str(exc)) from exc
