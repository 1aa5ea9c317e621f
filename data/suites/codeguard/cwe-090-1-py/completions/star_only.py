    if not uid or uid == "*":
        raise ValueError("no uid")
    return "(&(objectClass=person)(uid={}))".format(uid)
