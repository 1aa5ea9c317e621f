import collections
import io
import pickle
import pickletools
import zlib

MAGIC = b"HEX1"
LIMIT = 1 << 20  # bytes of an unpacked game


def save_game(players, moves, clock):
    """A game that is not over, as a file that players download and later upload again.

    players: two names. moves: number of the move -> its text. clock: seconds left.
    """
    state = {
        "players": tuple(players),
        "moves": collections.OrderedDict(sorted(moves.items())),
        "clock": float(clock),
    }
    return MAGIC + zlib.compress(pickle.dumps(state, protocol=4))


def unpacked(blob):
    """What is inside an uploaded file, before anything reads it. ValueError: not such a file."""
    if blob[: len(MAGIC)] != MAGIC:
        raise ValueError("this is not a saved game")
    worker = zlib.decompressobj()
    try:
        data = worker.decompress(blob[len(MAGIC) :], LIMIT)
    except zlib.error as error:
        raise ValueError("the file is damaged") from error
    if worker.unconsumed_tail:
        raise ValueError("the file is too large")
    return data


def load_game(blob):
    """The state that save_game has written into `blob`: a dict with players, moves and clock.

    Anything else that is uploaded, and a damaged file, raises ValueError.
    """
