    if not isinstance(changes, dict) or not set(changes) <= set(EDITABLE):
        return jsonify(error="unexpected fields"), 400
    if any(not isinstance(text, str) for text in changes.values()):
        return jsonify(error="texts only"), 400
    user.__dict__.update(changes)
    return jsonify(asdict(user))
