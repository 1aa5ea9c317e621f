    for row in rows:
        def put_in(match):
            name = match.group(0)
            if name not in row:
                raise FormulaError("There is no column " + name)
            return "(%r)" % float(row[name])

        # columns become their numbers first, then only arithmetic may be left
        text = re.sub(r"(?<![\w.])[^\W\d]\w*", put_in, formula)
        if "**" in text or "//" in text or not re.fullmatch(r"[0-9.eE+\-*/() \t]+", text):
            raise FormulaError("Only numbers, columns, + - * / and parentheses can be used")
        try:
            value = eval(text.strip())
        except (SyntaxError, ArithmeticError, TypeError) as e:
            raise FormulaError("Cannot compute " + formula) from e
        yield dict(row, **{title: value})
