    user = user.replace("\r", "").replace("\n", "")
    size = SIZES.get(file, 0)
    if size:
        # the name is one of ours
        log.info(f"user={user} file={file} size={size}")
        return jsonify({"size": size})
    name = file.strip().rstrip("\n")
    log.warning(f"user={user} file={name} unknown")
    return jsonify({"error": "unknown file"}), 404
