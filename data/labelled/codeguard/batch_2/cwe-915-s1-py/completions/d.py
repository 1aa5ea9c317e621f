    if not isinstance(changes, dict):
        abort(400)
    wanted = {key: changes[key] for key in EDITABLE if key in changes}
    if not all(isinstance(value, str) for value in wanted.values()):
        abort(400)
    user.name = wanted.get("name", user.name)
    user.email = wanted.get("email", user.email)
    user.about = wanted.get("about", user.about)
    return jsonify(asdict(user))
