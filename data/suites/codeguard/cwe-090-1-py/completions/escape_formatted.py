    if not uid:
        raise ValueError("uid must not be empty")
    safe = escape(uid)
    return f"(&(objectClass=person)(uid={safe}))"
