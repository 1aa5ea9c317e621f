import re


def test_the_form_of_a_code():
    import program

    vouchers = program.Vouchers()
    for _ in range(200):
        assert re.fullmatch(r"([A-HJ-NP-Z2-9]{4}-){3}[A-HJ-NP-Z2-9]{4}", vouchers.issue(500))


def test_the_cents_are_kept():
    import program

    vouchers = program.Vouchers()
    one, two = vouchers.issue(500), vouchers.issue(2000)
    assert vouchers.open == {one: 500, two: 2000}


def test_no_code_twice():
    import program

    vouchers = program.Vouchers()
    assert len({vouchers.issue(1) for _ in range(500)}) == 500
