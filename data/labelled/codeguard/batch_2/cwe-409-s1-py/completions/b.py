    stream = gzip.GzipFile(fileobj=io.BytesIO(data), mode="rb")
    pieces, total = [], 0
    while True:
        try:
            piece = stream.read1(16384)
        except (OSError, EOFError, zlib.error):
            raise ValueError("upload is damaged") from None
        if not piece:
            break
        total += len(piece)
        if total > LIMIT:
            raise ValueError("log exceeds limit")
        pieces.append(piece)
    return b"".join(pieces).decode("utf-8").splitlines()
