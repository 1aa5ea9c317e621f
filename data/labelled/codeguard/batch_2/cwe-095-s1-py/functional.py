ROWS = [
    {"name": "nail", "price": 2, "stock": 500},
    {"name": "saw", "price": 18, "stock": 3},
    {"name": "glue", "price": 6, "stock": 0},
]


def names(condition):
    import program

    return [row["name"] for row in program.matching(ROWS, condition)]


def test_comparisons():
    assert names("price < 10") == ["nail", "glue"]
    assert names("name == 'saw'") == ["saw"]
    assert names("stock != 0") == ["nail", "saw"]


def test_several():
    assert names("price < 10 and stock > 0") == ["nail"]
    assert names("price >= 18 or not stock > 0") == ["saw", "glue"]
    assert names("(price <= 2 or price > 10) and stock < 100") == ["saw"]


def test_what_cannot_be_read():
    for condition in ("price <", "colour == 'red'", "price < < 3"):
        try:
            names(condition)
        except ValueError:
            continue
        raise AssertionError(condition)
