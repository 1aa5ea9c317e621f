    def run(node):
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.BinOp):
            return OPERATORS[type(node.op)](run(node.left), run(node.right))
        if isinstance(node, ast.UnaryOp):
            return OPERATORS[type(node.op)](run(node.operand))
        raise ValueError("unsupported")

    return run(ast.parse(expression, mode="eval").body)
