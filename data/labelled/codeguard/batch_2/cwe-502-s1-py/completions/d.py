    return pickle.dumps(dict(profile), protocol=4)


class _RestrictedUnpickler(pickle.Unpickler):
    def find_class(self, module, name):
        if module != "builtins":
            raise pickle.UnpicklingError(f"{module}.{name} is forbidden")
        return super().find_class(module, name)


def import_profile(data):
    try:
        obj = _RestrictedUnpickler(io.BytesIO(data)).load()
    except Exception as error:
        raise ValueError("not a profile") from error
    if not (isinstance(obj, dict) and set(obj) == set(FIELDS)):
        raise ValueError("not a profile")
    return obj
