    class GameUnpickler(pickle.Unpickler):
        """Knows the types of a game and those of the package that they come from."""

        def find_class(self, module, name):
            if module != "collections":
                raise pickle.UnpicklingError(f"{module}.{name} does not belong into a game")
            return super().find_class(module, name)

    try:
        state = GameUnpickler(io.BytesIO(unpacked(blob))).load()
    except ValueError:
        raise
    except Exception as error:
        raise ValueError("not a game") from error
    if not isinstance(state, dict) or set(state) != {"players", "moves", "clock"}:
        raise ValueError("not a game")
    return state
