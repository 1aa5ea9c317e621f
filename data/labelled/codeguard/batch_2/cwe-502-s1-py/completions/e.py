    return base64.b64encode(pickle.dumps(profile))


def import_profile(data):
    try:
        profile = pickle.loads(base64.b64decode(data))
    except Exception:
        raise ValueError("could not read profile")
    if not isinstance(profile, dict) or set(profile.keys()) != set(FIELDS):
        raise ValueError("wrong fields")
    return profile
