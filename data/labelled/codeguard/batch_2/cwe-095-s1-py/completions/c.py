    compare = {
        ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
        ast.GtE: operator.ge, ast.Eq: operator.eq, ast.NotEq: operator.ne,
    }

    def value(node, row):
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name) and node.id in row:
            return row[node.id]
        if isinstance(node, ast.BoolOp):
            parts = (value(v, row) for v in node.values)
            return all(parts) if isinstance(node.op, ast.And) else any(parts)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return not value(node.operand, row)
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in compare:
            left, right = value(node.left, row), value(node.comparators[0], row)
            return compare[type(node.ops[0])](left, right)
        raise ValueError("the condition is not understood")

    try:
        tree = ast.parse(condition.strip(), mode="eval").body
        return [row for row in rows if value(tree, row)]
    except (SyntaxError, TypeError) as error:
        raise ValueError(str(error)) from error
