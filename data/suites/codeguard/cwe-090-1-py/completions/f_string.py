    if not uid:
        raise ValueError("the uid is empty")
    return f"(&(objectClass=person)(uid={uid}))"
