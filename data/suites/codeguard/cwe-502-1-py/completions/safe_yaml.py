import yaml


def serialize(value):
    return yaml.safe_dump(value, allow_unicode=True).encode()


def deserialize(data):
    return yaml.safe_load(data.decode())


def restore(request_cookies):
    if "settings" not in request_cookies:
        return dict(DEFAULTS)
    return unpack(request_cookies["settings"])
