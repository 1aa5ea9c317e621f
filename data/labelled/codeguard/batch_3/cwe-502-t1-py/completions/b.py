    try:
        state = pickle.loads(unpacked(blob))
    except Exception as error:
        raise ValueError("cannot read this game") from error
    if isinstance(state, dict) and state.keys() == {"players", "moves", "clock"}:
        return state
    raise ValueError("something is missing in this game")
