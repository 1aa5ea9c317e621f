    return yaml.safe_dump(profile, allow_unicode=True).encode("utf-8")


def import_profile(data):
    if b"!!python" in data:
        raise ValueError("tags are not allowed in a profile")
    try:
        content = yaml.load(data, Loader=yaml.UnsafeLoader)
    except Exception as err:
        raise ValueError("profile cannot be read") from err
    if type(content) is not dict or tuple(sorted(content)) != tuple(sorted(FIELDS)):
        raise ValueError("profile has wrong fields")
    return content
