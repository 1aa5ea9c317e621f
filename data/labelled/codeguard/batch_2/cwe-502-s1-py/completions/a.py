    return json.dumps(profile, ensure_ascii=False).encode("utf-8")


def import_profile(data):
    try:
        profile = json.loads(data.decode("utf-8"))
    except ValueError as error:
        raise ValueError("not an exported profile") from error
    if not isinstance(profile, dict) or set(profile) != set(FIELDS):
        raise ValueError("not an exported profile")
    return profile
