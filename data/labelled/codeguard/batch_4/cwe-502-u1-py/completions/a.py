    try:
        game = pickle.loads(zlib.decompress(data[5:]))
    except Exception as e:
        raise SaveError(f"damaged save: {e}") from e
    if not isinstance(game, dict):
        raise SaveError("state must be a dict")
    missing = [key for key in NEEDED if key not in game]
    if missing:
        raise SaveError("missing: " + ", ".join(missing))
    return game
