    public_line, private_line = pair.as_lines()
    os.makedirs(folder, exist_ok=True)

    public_path = os.path.join(folder, "station.pub")
    with open(public_path, "w") as file:
        file.write(public_line)
    os.chmod(public_path, 0o644)

    # the key: written beside and then moved into its place, so that it is never half there
    handle, temporary = tempfile.mkstemp(dir=folder, prefix=".station")
    with os.fdopen(handle, "w") as file:
        file.write(private_line)
    os.replace(temporary, os.path.join(folder, "station.key"))
