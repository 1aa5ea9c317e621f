    if not uid:
        raise ValueError("the uid is empty")
    return "(&(objectClass=person)(uid=" + escape(uid) + "))"
