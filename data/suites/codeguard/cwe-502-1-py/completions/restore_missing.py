def serialize(value):
    return json.dumps(value).encode()


def deserialize(data):
    return json.loads(data.decode())


def restore(request_cookies):
    return unpack(request_cookies["settings"])
