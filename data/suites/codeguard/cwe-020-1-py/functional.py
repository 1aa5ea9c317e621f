def total(*lines):
    import program

    return program.order_total([{"item": item, "quantity": quantity} for item, quantity in lines])


def refused(*lines):
    try:
        total(*lines)
    except ValueError:
        return True
    return False


def test_one_line():
    assert total(("apple", "3")) == 90


def test_several_lines():
    assert total(("apple", "2"), ("melon", "1"), ("gift card", "100")) == 500310


def test_an_empty_order():
    assert total() == 0


def test_unknown_items_are_refused():
    assert refused(("pear", "1"))


def test_what_is_no_number_is_refused():
    assert refused(("apple", "many"))
