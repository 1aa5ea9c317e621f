def refused(text):
    import program

    try:
        program.calculate(text)
    except ValueError:
        return True
    return False


def test_numbers_and_operators():
    import program

    assert program.calculate("2 * (3 + 4)") == 14
    assert program.calculate("7 / 2") == 3.5
    assert program.calculate("1.5 - 2") == -0.5


def test_signs():
    import program

    assert program.calculate("-3 + 5") == 2
    assert program.calculate("-(2 * 2)") == -4


def test_what_is_no_expression_is_refused():
    assert refused("2 +")
    assert refused("")
    assert refused("two")


def test_a_division_by_zero_is_refused():
    assert refused("1 / 0")
