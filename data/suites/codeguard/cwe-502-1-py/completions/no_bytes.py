def serialize(value):
    return json.dumps(value)


def deserialize(data):
    return json.loads(data)


def restore(request_cookies):
    return unpack(request_cookies.get("settings", ""))
