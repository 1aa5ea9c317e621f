    if not uid:
        raise ValueError("the uid is empty")
    return "(uid=" + escape(uid) + ")"
