    try:
        tree = ast.parse(formula.strip(), mode="eval")
    except (SyntaxError, ValueError) as err:
        raise FormulaError("syntax error in the formula") from err

    columns = None
    for row in rows:
        if columns is None:
            columns = set(row)
            for node in ast.walk(tree):
                if isinstance(node, ast.Name) and node.id not in columns:
                    raise FormulaError("unknown column " + node.id)
                if isinstance(node, ast.Call) and not isinstance(node.func, ast.Attribute):
                    raise FormulaError("functions cannot be called")
                if isinstance(node, (ast.Lambda, ast.Await, ast.NamedExpr, ast.JoinedStr)):
                    raise FormulaError("this belongs into a program, not into a formula")
        try:
            result = eval(compile(tree, "formula", "eval"), {}, row)
        except ZeroDivisionError as err:
            raise FormulaError("division by zero") from err
        except Exception as err:
            raise FormulaError("the formula has no value") from err
        yield {**row, title: result}
