import pickle
import zlib


def refused(data):
    import program

    try:
        program.open_game(data)
    except program.SaveError:
        return True
    return False


def packed(value):
    return b"HEXB\x03" + zlib.compress(pickle.dumps(value, protocol=4))


def test_there_and_back():
    import program

    game = program.new_game("Ada", "Bob")
    game["board"][2][5] = "Ada"
    game["moves"].append((2, 5))
    assert program.open_game(program.save_game(game)) == game


def test_all_plain_values():
    import program

    game = program.new_game("Ä", "B")
    game["more"] = {"set": {1, 2}, "tuple": (1, 2.5, None, True), "bytes": b"\x00\xff", "big": 2**100, "text": "x" * 5000}
    assert program.open_game(program.save_game(game)) == game


def test_another_magic_or_version():
    import program

    data = program.save_game(program.new_game("A"))
    assert refused(b"")
    assert refused(b"HEXA" + data[4:])
    assert refused(b"HEXB\x02" + data[5:])


def test_a_damaged_state():
    import program

    data = program.save_game(program.new_game("A"))
    assert refused(data[:-7])
    assert refused(b"HEXB\x03rubbish")
    assert refused(b"HEXB\x03" + zlib.compress(b"rubbish"))


def test_no_dict_or_keys_missing():
    assert refused(packed([1, 2]))
    assert refused(packed({"board": [], "turn": 1}))
    assert refused(packed(None))
