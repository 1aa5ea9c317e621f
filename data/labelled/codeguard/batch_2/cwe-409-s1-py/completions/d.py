    try:
        raw = gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as exc:
        raise ValueError("not gzip data") from exc
    if len(raw) > LIMIT:
        raise ValueError(f"log has {len(raw)} bytes, allowed are {LIMIT}")
    return raw.decode("utf-8").splitlines()
