    try:
        code = compile(condition.strip(), "<filter>", "eval")
        return [row for row in rows if eval(code, {"__builtins__": {}}, row)]
    except Exception as error:
        raise ValueError("cannot evaluate the condition") from error
