    size = SIZES.get(file)
    if size is None:
        log.warning("user=%r asked for %r", user, file)
        return jsonify(error="unknown file"), 404
    log.info("user=%r took %r (%d bytes)", user, file, size)
    return jsonify(size=size)
