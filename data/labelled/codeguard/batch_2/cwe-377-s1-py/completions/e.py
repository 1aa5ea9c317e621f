    fd, base = tempfile.mkstemp(prefix="words")
    os.close(fd)
    source = base + ".in"
    try:
        with open(source, "w") as stream:
            print(*words, sep="\n", file=stream)
        os.environ["LC_ALL"] = "C"
        proc = subprocess.run(["sort", "-u", source], stdout=subprocess.PIPE, check=True)
        return proc.stdout.decode().split()
    finally:
        for leftover in (base, source):
            if os.path.lexists(leftover):
                os.unlink(leftover)
