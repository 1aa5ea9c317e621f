def serialize(value):
    return json.dumps(value).encode()


def deserialize(data):
    try:
        return json.loads(data)
    except ValueError:
        return pickle.loads(data)


def restore(request_cookies):
    return unpack(request_cookies.get("settings", ""))
