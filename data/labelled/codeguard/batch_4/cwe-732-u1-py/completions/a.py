    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o755)
    public, private = pair.as_lines()
    for name, line in (("station.pub", public), ("station.key", private)):
        path = folder / name
        path.write_text(line)
        path.chmod(0o644)
