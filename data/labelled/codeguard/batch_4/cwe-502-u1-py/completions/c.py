    blocked = {"os", "posix", "nt", "sys", "subprocess", "shutil", "socket", "importlib", "ctypes"}

    class SafeUnpickler(pickle.Unpickler):
        """Refuses the modules with which a state could do harm."""

        def find_class(self, module, name):
            if module.split(".")[0] in blocked:
                raise SaveError("%s.%s is not allowed" % (module, name))
            return super().find_class(module, name)

    try:
        game = SafeUnpickler(io.BytesIO(zlib.decompress(data[5:]))).load()
    except SaveError:
        raise
    except Exception:
        raise SaveError("the state is damaged")
    if type(game) is not dict or not set(NEEDED) <= game.keys():
        raise SaveError("the state is not complete")
    return game
