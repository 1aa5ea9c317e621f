    def value_of(node, row):
        match node:
            case ast.Constant(value=int() | float()) if not isinstance(node.value, bool):
                return node.value
            case ast.Name(id=name) if name in row:
                return row[name]
            case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
                return OPERATORS[type(op)](value_of(left, row), value_of(right, row))
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                return -value_of(inner, row)
            case _:
                raise FormulaError(f"cannot use {ast.unparse(node)!r} here")

    try:
        tree = ast.parse(formula.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError) as problem:
        raise FormulaError("malformed formula") from problem
    for row in rows:
        try:
            yield row | {title: float(value_of(tree, row))}
        except ArithmeticError as problem:
            raise FormulaError(str(problem)) from problem
