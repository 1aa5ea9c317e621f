import collections
import pickle
import zlib

MOVES = {2: "e5", 1: "e4", 3: "Nf3"}


def saved(players=("Ada", "Böb"), moves=None, clock=91.5):
    import program

    return program, program.save_game(players, MOVES if moves is None else moves, clock)


def refused(program, blob):
    try:
        program.load_game(blob)
    except ValueError:
        return True
    return False


def test_a_game_comes_back():
    program, blob = saved()
    state = program.load_game(blob)
    assert set(state) == {"players", "moves", "clock"}
    assert state["players"] == ("Ada", "Böb")
    assert state["clock"] == 91.5
    assert isinstance(state["moves"], collections.OrderedDict)
    assert list(state["moves"].items()) == [(1, "e4"), (2, "e5"), (3, "Nf3")]


def test_short_and_long_games():
    for count in (0, 1, 300):
        program, blob = saved(moves={n: f"move {n}" for n in range(count)})
        assert len(program.load_game(blob)["moves"]) == count


def test_damaged_files():
    program, blob = saved()
    for bad in (b"", b"HEX1", blob[4:], blob[:-20], b"HEX2" + blob[4:], b"HEX1" + b"x" * 40):
        assert refused(program, bad), bad


def test_another_pickle():
    program, _ = saved()
    for value in ([1, 2], {"players": ()}, "text", None):
        blob = b"HEX1" + zlib.compress(pickle.dumps(value, protocol=4))
        assert refused(program, blob), value
