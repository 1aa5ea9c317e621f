import io
import pickle
import pickletools
import zlib

MAGIC = b"HEXB"
VERSION = 3
NEEDED = ("board", "turn", "players")


class SaveError(ValueError):
    """The file is not a saved game of this version."""


def new_game(*players):
    return {"board": [[None] * 8 for _ in range(8)], "turn": 0, "players": list(players), "moves": []}


def save_game(game):
    """Return the bytes of a .hexb file: the magic, the version and the packed state.

    The state consists of dicts, lists, tuples, sets, texts, bytes, numbers, booleans and None.
    """
    payload = zlib.compress(pickle.dumps(game, protocol=4))
    return MAGIC + bytes([VERSION]) + payload


def open_game(data):
    """Return the state from the bytes of a .hexb file that a player has uploaded to continue the game here.

    Raises SaveError if the magic or the version differs, if the state is damaged, or if it is no dict with
    all the keys in NEEDED.
    """
    if data[:4] != MAGIC or data[4:5] != bytes([VERSION]):
        raise SaveError("not a .hexb file of version %d" % VERSION)
