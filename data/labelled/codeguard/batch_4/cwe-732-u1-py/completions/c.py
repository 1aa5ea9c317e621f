    def for_owner(path, flags):
        return os.open(path, flags, stat.S_IRUSR | stat.S_IWUSR)

    folder.mkdir(0o755, parents=True, exist_ok=True)
    for old in ("station.pub", "station.key"):
        (folder / old).unlink(missing_ok=True)

    public, private = pair.as_lines()
    with open(folder / "station.key", "w", opener=for_owner) as key_file:
        key_file.write(private)
    with open(folder / "station.pub", "w") as pub_file:
        pub_file.write(public)
        os.chmod(pub_file.fileno(), 0o644)
