    inflater = zlib.decompressobj(wbits=31)
    try:
        body = inflater.decompress(data, LIMIT + 1)
    except zlib.error as exc:
        raise ValueError("invalid gzip stream") from exc
    if len(body) > LIMIT:
        raise ValueError("log too big")
    return body.decode().splitlines()
