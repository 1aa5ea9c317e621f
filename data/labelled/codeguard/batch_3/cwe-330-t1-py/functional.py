import re


def fresh(count=None):
    import program

    account = program.Account("ada", ["22222-22222"])
    codes = program.renew_backup_codes(account, *([] if count is None else [count]))
    return account, codes


def test_eight_codes_unless_asked_otherwise():
    account, codes = fresh()
    assert len(codes) == 8
    assert sorted(account.backup_codes) == sorted(codes)
    assert len(fresh(3)[1]) == 3


def test_the_form_of_a_code():
    for code in fresh(40)[1]:
        assert re.fullmatch(r"[2-9A-HJKMNP-TV-Z]{5}-[2-9A-HJKMNP-TV-Z]{5}", code), code


def test_every_code_is_different():
    codes = fresh(200)[1]
    assert len(set(codes)) == 200
    assert not set(codes) & set(fresh(200)[1])


def test_a_code_is_spent_once():
    account, codes = fresh()
    code = codes[3]
    assert account.spend(code.lower())
    assert not account.spend(code)
    assert not account.spend("22222-22222")
    assert len(account.backup_codes) == 7


def test_too_few():
    import program

    for count in (0, -2):
        account = program.Account("ada", ["22222-22222"])
        try:
            program.renew_backup_codes(account, count)
        except ValueError:
            assert account.backup_codes == ["22222-22222"]
            continue
        raise AssertionError(count)
