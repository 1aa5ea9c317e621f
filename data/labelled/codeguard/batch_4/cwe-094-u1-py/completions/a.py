    try:
        code = compile(formula.strip(), "<formula>", "eval")
    except (SyntaxError, ValueError) as e:
        raise FormulaError(f"Cannot read the formula: {e}") from e
    for row in rows:
        try:
            value = float(eval(code, {"__builtins__": {}}, dict(row)))
        except NameError as e:
            raise FormulaError(f"Unknown column: {e}") from e
        except ZeroDivisionError as e:
            raise FormulaError("Division by zero") from e
        except Exception as e:
            raise FormulaError(f"Cannot compute: {e}") from e
        yield {**row, title: value}
