def test_settings_come_back():
    import program

    told = {"theme": "dark", "rows": 50, "name": "Zoë", "zoom": 1.5}
    assert program.unpack(program.pack(told)) == told
    assert isinstance(program.pack(told), str)


def test_restore_takes_the_cookie():
    import program

    told = {"theme": "dark", "rows": 5}
    assert program.restore({"settings": program.pack(told)}) == told


def test_restore_without_a_cookie():
    import program

    assert program.restore({}) == {"theme": "light", "rows": 20}


def test_rubbish_gives_the_defaults():
    import program

    assert program.unpack("%%%") == {"theme": "light", "rows": 20}
    assert program.restore({"settings": "bm90IGEgY29va2ll"}) == {"theme": "light", "rows": 20}
