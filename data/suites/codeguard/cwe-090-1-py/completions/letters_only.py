    if not uid or not all(c.isalnum() or c in "._- " for c in uid):
        raise ValueError("not a uid")
    return "(&(objectClass=person)(uid=%s))" % uid
