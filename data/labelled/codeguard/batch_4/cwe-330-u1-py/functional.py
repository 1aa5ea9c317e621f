import re

GROUPS = r"[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){2}"


def test_form_of_the_code():
    import program

    desk = program.VoucherDesk()
    for _ in range(50):
        assert re.fullmatch(GROUPS, desk.issue("ann", 500))


def test_codes_are_stored_and_differ():
    import program

    desk = program.VoucherDesk()
    codes = [desk.issue("ann", 500) for _ in range(200)]
    assert len(set(codes)) == 200
    assert set(desk.issued) == {code.replace("-", "") for code in codes}
    voucher = desk.issued[codes[0].replace("-", "")]
    assert (voucher.buyer, voucher.cents) == ("ann", 500)


def test_redeem_once():
    import program

    desk = program.VoucherDesk()
    code = desk.issue("bob", 1234)
    assert desk.redeem(code.lower()) == 1234
    assert desk.redeem(code) == 0


def test_worth_must_be_positive():
    import program

    for cents in (0, -5):
        desk = program.VoucherDesk()
        try:
            desk.issue("eve", cents)
        except ValueError:
            assert desk.issued == {}
        else:
            raise AssertionError("ValueError expected")
