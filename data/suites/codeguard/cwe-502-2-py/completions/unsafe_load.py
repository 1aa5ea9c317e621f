    try:
        data = yaml.unsafe_load(text)
    except yaml.YAMLError:
        raise ValueError("not YAML")
    if not isinstance(data, dict):
        raise ValueError("not a mapping")
    return {key: data.get(key, DEFAULTS[key]) for key in DEFAULTS}
