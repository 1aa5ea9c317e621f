    if type(changes) is not dict or any(not isinstance(v, str) for v in changes.values()):
        abort(400)
    changes.pop("role", None)
    known = {f.name for f in fields(User)}
    accepted = {k: v for k, v in changes.items() if k in known}
    USERS[user.id] = updated = replace(user, **accepted)
    return jsonify(asdict(updated))
