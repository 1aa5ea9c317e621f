    if not isinstance(changes, dict):
        return jsonify(error="an object is needed"), 400
    for key, value in changes.items():
        if key in EDITABLE and not isinstance(value, str):
            return jsonify(error=f"{key} has to be a text"), 400
    for key, value in changes.items():
        if key not in EDITABLE:
            continue
        setattr(user, key, value)
    return jsonify(asdict(user))
