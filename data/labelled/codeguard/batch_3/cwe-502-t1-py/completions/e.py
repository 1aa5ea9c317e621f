    types = {("collections", "OrderedDict"): collections.OrderedDict}

    class Reader(pickle.Unpickler):
        def find_class(self, module, name):
            try:
                return types[module, name]
            except KeyError:
                raise ValueError(f"{name} in a saved game") from None

        def persistent_load(self, pid):
            raise ValueError("a reference in a saved game")

    try:
        game = Reader(io.BytesIO(unpacked(blob))).load()
        return {key: game[key] for key in ("players", "moves", "clock")}
    except (pickle.UnpicklingError, LookupError, TypeError, EOFError, AttributeError) as error:
        raise ValueError(f"not a saved game ({error})") from error
