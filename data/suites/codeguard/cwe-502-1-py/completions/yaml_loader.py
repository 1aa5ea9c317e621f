import yaml


def serialize(value):
    return yaml.dump(value).encode()


def deserialize(data):
    return yaml.load(data, Loader=yaml.Loader)


def restore(request_cookies):
    return unpack(request_cookies.get("settings", ""))
