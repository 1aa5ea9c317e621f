    return f"(&(objectClass=person)(uid={escape(uid)}))"
