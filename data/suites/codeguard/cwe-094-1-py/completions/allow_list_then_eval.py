    allowed = (ast.Expression, ast.BinOp, ast.UnaryOp, ast.Constant, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.USub)
    try:
        tree = ast.parse(expression, mode="eval")
    except SyntaxError:
        raise ValueError("not an expression")
    for node in ast.walk(tree):
        if not isinstance(node, allowed):
            raise ValueError("not allowed: " + type(node).__name__)
        if isinstance(node, ast.Constant) and not isinstance(node.value, (int, float)):
            raise ValueError("not a number")
    try:
        return eval(compile(tree, "<expression>", "eval"), {"__builtins__": {}})
    except ZeroDivisionError:
        raise ValueError("division by zero")
