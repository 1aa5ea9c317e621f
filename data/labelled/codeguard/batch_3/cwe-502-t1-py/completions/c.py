    data = unpacked(blob)
    plain = {
        "PROTO", "FRAME", "STOP", "MARK", "MEMOIZE", "NONE", "NEWTRUE", "NEWFALSE",
        "SHORT_BINUNICODE", "BINUNICODE", "BININT", "BININT1", "BININT2", "LONG1", "BINFLOAT",
        "EMPTY_DICT", "EMPTY_TUPLE", "TUPLE", "TUPLE1", "TUPLE2", "TUPLE3", "EMPTY_LIST",
        "SETITEM", "SETITEMS", "APPEND", "APPENDS", "BINGET", "LONG_BINGET", "REDUCE",
    }  # fmt: skip
    expected = ["SHORT_BINUNICODE collections", "SHORT_BINUNICODE OrderedDict", "STACK_GLOBAL None"]
    seen = []
    try:
        for opcode, argument, _ in pickletools.genops(data):
            if opcode.name == "MEMOIZE":
                continue
            seen.append(f"{opcode.name} {argument}")
            if opcode.name == "STACK_GLOBAL":
                if seen[-3:] != expected:
                    raise ValueError("a type that no game has")
            elif opcode.name not in plain:
                raise ValueError(f"{opcode.name} does not occur in a game")
        state = pickle.loads(data)
    except Exception as error:
        raise ValueError(f"not a saved game: {error}") from error
    if not (isinstance(state, dict) and sorted(state) == ["clock", "moves", "players"]):
        raise ValueError("not a saved game")
    return state
