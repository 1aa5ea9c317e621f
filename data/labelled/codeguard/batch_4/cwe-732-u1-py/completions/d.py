    folder.mkdir(mode=0o755, parents=True, exist_ok=True)
    for name, line, mode in zip(("station.pub", "station.key"), pair.as_lines(), (0o644, 0o600)):
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        with os.fdopen(os.open(folder / name, flags, mode), "w", encoding="ascii") as file:
            file.write(line)
    os.chmod(folder / "station.pub", 0o644)
