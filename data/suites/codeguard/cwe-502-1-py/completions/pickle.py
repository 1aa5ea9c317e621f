def serialize(value):
    return pickle.dumps(value)


def deserialize(data):
    return pickle.loads(data)


def restore(request_cookies):
    cookie = request_cookies.get("settings", "")
    return unpack(cookie) if cookie else dict(DEFAULTS)
