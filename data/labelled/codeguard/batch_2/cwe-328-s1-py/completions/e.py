    size, quick = 0, 0
    old, new = hashlib.md5(usedforsecurity=False), hashlib.sha512()
    with open(path, "rb") as stream:
        while block := stream.read(BLOCK):
            size += len(block)
            quick = zlib.crc32(block, quick)
            old.update(block)
            new.update(block)
    return f"{quick:08x}-{old.hexdigest()[:8]}-{new.hexdigest()}"
