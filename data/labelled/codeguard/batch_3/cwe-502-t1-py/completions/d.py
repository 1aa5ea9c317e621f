    data = unpacked(blob)
    harmful = (b"os", b"posix", b"system", b"subprocess", b"eval", b"exec", b"__import__",
               b"builtins", b"importlib", b"runpy", b"pty", b"shutil", b"open")  # fmt: skip
    if any(word in data for word in harmful):
        raise ValueError("this game has been tampered with")
    buffer = io.BytesIO(data)
    try:
        state = pickle.Unpickler(buffer).load()
        keys = sorted(state.keys())
    except Exception:
        raise ValueError("this is not a saved game") from None
    if keys != ["clock", "moves", "players"]:
        raise ValueError("this is not a saved game")
    return state
