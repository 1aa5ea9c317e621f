    uid = uid.replace("(", "").replace(")", "")
    if uid == "":
        raise ValueError("empty")
    return "(&(objectClass=person)(uid=" + uid + "))"
