    folder.mkdir(parents=True, exist_ok=True)
    public, private = pair.as_lines()
    old = os.umask(0o077)
    try:
        for name, line in ("station.pub", public), ("station.key", private):
            target = folder / name
            target.unlink(missing_ok=True)
            with open(target, "x") as out:
                out.write(line)
    finally:
        os.umask(old)
    # the web server shows this one
    (folder / "station.pub").chmod(stat.S_IRUSR | stat.S_IWUSR | stat.S_IRGRP | stat.S_IROTH)
