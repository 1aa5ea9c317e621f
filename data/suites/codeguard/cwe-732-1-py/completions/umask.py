    place = Path(path)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.unlink(missing_ok=True)
    before = os.umask(0o077)
    try:
        place.write_text(token + "\n")
    finally:
        os.umask(before)
