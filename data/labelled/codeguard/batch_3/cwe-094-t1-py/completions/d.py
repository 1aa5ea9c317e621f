    class Step:
        def __init__(self, text):
            name, *places = text.replace("]", "").split("[")
            rebuilt = name + "".join(f"[{place}]" for place in places)
            numeric = all(place.isascii() and place.isdigit() for place in places)
            if not (name.isidentifier() and numeric and rebuilt == text):
                raise PathError(f"not understood: {text}")
            self.keys = [name, *map(int, places)]

        def __call__(self, value):
            return functools.reduce(self.member, self.keys, value)

        @staticmethod
        def member(value, key):
            if isinstance(key, str):
                return value.get(key) if isinstance(value, dict) else None
            return value[key] if isinstance(value, list) and key < len(value) else None

    steps = [Step(part) for part in path.split(".")]
    return lambda record: functools.reduce(lambda value, step: step(value), steps, record)
