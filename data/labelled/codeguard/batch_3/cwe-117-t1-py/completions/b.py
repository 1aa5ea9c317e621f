    if file not in SIZES:
        log.warning("%s asked for an unknown file: %s", user, file)
        return {"error": "unknown file"}, 404
    log.info("%s took %s", user, file)
    return {"size": SIZES[file]}
