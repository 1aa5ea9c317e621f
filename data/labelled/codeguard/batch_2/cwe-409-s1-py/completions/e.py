    try:
        with gzip.open(io.BytesIO(data)) as file:
            content = file.read(LIMIT + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError("no gzip") from error
    if len(content) > LIMIT:
        raise ValueError("the log is too long")
    return content.decode("utf-8").splitlines()
