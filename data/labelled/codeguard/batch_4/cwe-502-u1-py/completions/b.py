    class PlainUnpickler(pickle.Unpickler):
        def find_class(self, module, name):
            raise pickle.UnpicklingError(f"{module}.{name} does not belong into a saved game")

    try:
        game = PlainUnpickler(io.BytesIO(zlib.decompress(data[5:]))).load()
    except Exception as e:
        raise SaveError("damaged save") from e
    if not isinstance(game, dict) or any(key not in game for key in NEEDED):
        raise SaveError("incomplete save")
    return game
