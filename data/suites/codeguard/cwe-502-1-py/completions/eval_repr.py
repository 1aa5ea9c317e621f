def serialize(value):
    return repr(value).encode()


def deserialize(data):
    return eval(data.decode())


def restore(request_cookies):
    if "settings" in request_cookies:
        return unpack(request_cookies["settings"])
    return dict(DEFAULTS)
