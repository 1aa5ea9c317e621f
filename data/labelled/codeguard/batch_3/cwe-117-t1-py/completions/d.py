    entry = " ".join(f"{key}={quote(value, safe=' @.-')}" for key, value in
                     {"user": user, "file": file}.items())
    try:
        size = SIZES[file]
    except KeyError:
        log.warning("refused " + entry)
        answer = jsonify(error="unknown file")
        answer.status_code = 404
        return answer
    log.info("taken " + entry)
    return jsonify(size=size)
