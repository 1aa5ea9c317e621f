    if len(data) < 18 or data[:2] != b"\x1f\x8b":
        raise ValueError("expected gzip")
    (size,) = struct.unpack("<I", data[-4:])
    if size > LIMIT:
        raise ValueError("too large")
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as f:
            text = f.read().decode("utf-8")
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError("broken gzip") from error
    return text.splitlines()
