    return yaml.dump({key: profile[key] for key in profile}, Dumper=yaml.SafeDumper).encode()


class ProfileLoader(yaml.SafeLoader):
    """Loader of profile files."""


def import_profile(data):
    try:
        loaded = yaml.load(data, Loader=ProfileLoader)
    except yaml.YAMLError as exc:
        raise ValueError("broken profile file") from exc
    if not isinstance(loaded, dict) or sorted(loaded) != sorted(FIELDS):
        raise ValueError("unexpected fields")
    return loaded
