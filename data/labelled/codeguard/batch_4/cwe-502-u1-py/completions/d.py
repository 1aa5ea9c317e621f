    harmful = ("GLOBAL", "STACK_GLOBAL", "INST", "OBJ", "NEWOBJ", "NEWOBJ_EX", "REDUCE", "BUILD",
               "EXT1", "EXT2", "EXT4", "PERSID", "BINPERSID")
    try:
        payload = zlib.decompress(data[5:])
        names = {opcode.name for opcode, _, _ in pickletools.genops(payload)}
        if not names.isdisjoint(harmful):
            raise SaveError("objects in the state")
        game = pickle.loads(payload)
    except SaveError:
        raise
    except Exception as problem:
        raise SaveError("state cannot be read") from problem
    if isinstance(game, dict) and all(key in game for key in NEEDED):
        return game
    raise SaveError("state is not that of a game")
