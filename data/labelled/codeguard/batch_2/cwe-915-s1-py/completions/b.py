    if not isinstance(changes, dict):
        abort(400)
    for key, value in changes.items():
        if not isinstance(value, str):
            abort(400)
        if hasattr(user, key):
            setattr(user, key, value)
    return jsonify(asdict(user))
