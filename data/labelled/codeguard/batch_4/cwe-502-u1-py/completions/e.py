    try:
        payload = zlib.decompress(data[5:])
    except zlib.error:
        raise SaveError("cannot unpack") from None

    try:
        # a state of ours (protocol 4) never looks up a class or calls anything
        for opcode, _, pos in pickletools.genops(payload):
            if opcode.name in ("STACK_GLOBAL", "REDUCE", "NEWOBJ"):
                raise SaveError(f"unexpected {opcode.name} at {pos}")
        game = pickle.Unpickler(io.BytesIO(payload), fix_imports=False).load()
    except Exception:
        raise SaveError("damaged state") from None
    if not isinstance(game, dict) or not all(k in game for k in NEEDED):
        raise SaveError("damaged state")
    return game
