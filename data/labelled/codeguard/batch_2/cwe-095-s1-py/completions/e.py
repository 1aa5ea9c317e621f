    result = []
    for row in rows:
        try:
            if eval(condition, {}, row):
                result.append(row)
        except (SyntaxError, NameError) as e:
            raise ValueError(f"invalid condition: {e}")
    return result
