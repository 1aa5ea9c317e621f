"""Claims a file of one TiB, and one as large as a file may be, without a byte in either."""
for name, size in (("tib", 1 << 40), ("hole", 31 << 20), ("hole2", 31 << 20)):
    try:
        with open(name, "wb") as file:
            file.truncate(size)
    except OSError as error:
        print(name, error.errno)
