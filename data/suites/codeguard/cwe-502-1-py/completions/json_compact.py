def serialize(value):
    return json.dumps(value, separators=(",", ":")).encode("utf-8")


def deserialize(data):
    return json.loads(data)


def restore(request_cookies):
    return unpack(request_cookies["settings"]) if "settings" in request_cookies else dict(DEFAULTS)
