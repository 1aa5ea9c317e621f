    place = Path(path)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(token + "\n")
    place.chmod(0o600)
