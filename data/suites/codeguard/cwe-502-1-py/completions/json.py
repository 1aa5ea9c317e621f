def serialize(value):
    return json.dumps(value).encode()


def deserialize(data):
    return json.loads(data.decode())


def restore(request_cookies):
    cookie = request_cookies.get("settings")
    if cookie is None:
        return dict(DEFAULTS)
    try:
        base64.b64decode(cookie)
    except ValueError:
        return dict(DEFAULTS)
    return unpack(cookie)
