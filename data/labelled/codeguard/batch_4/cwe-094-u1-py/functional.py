ROWS = [{"price": 10.0, "qty": 3.0, "off_2": 0.5}, {"price": 2.5, "qty": 4.0, "off_2": 0.0}]


def values(formula, rows=ROWS):
    import program

    return [round(row["new"], 9) for row in program.with_column(rows, "new", formula)]


def refused(formula, rows=ROWS):
    import program

    try:
        list(program.with_column(rows, "new", formula))
    except program.FormulaError:
        return True
    return False


def test_the_four_operators():
    assert values("price * qty") == [30.0, 10.0]
    assert values("price + qty - off_2") == [12.5, 6.5]
    assert values("price / qty") == [round(10 / 3, 9), 0.625]


def test_parentheses_and_numbers():
    assert values("(price - off_2) * 1.5 + 2") == [16.25, 5.75]
    assert values("  7 ") == [7.0, 7.0]
    assert values("-(qty + 1)*2") == [-8.0, -10.0]


def test_large_and_negative_cells():
    assert values("a - b", [{"a": 1e30, "b": -2.0}]) == [1e30 + 2]
    assert values("a - b", [{"a": -1.0, "b": -2.0}]) == [1.0]


def test_the_other_columns_stay():
    import program

    assert list(program.with_column(ROWS[:1], "sum", "qty+1")) == [{"price": 10.0, "qty": 3.0, "off_2": 0.5, "sum": 4.0}]
    assert "sum" not in ROWS[0]


def test_from_a_table():
    import program

    rows = program.read_rows(["a, b", "1, 2", "3, 4"])
    assert program.totals(program.with_column(rows, "c", "a*b")) == {"a": 4.0, "b": 6.0, "c": 14.0}


def test_formulas_that_cannot_be_used():
    for formula in ("", "price *", "(price", "price qty", "cost * 2", "price / off_2 / 0", "1 2"):
        assert refused(formula), formula
