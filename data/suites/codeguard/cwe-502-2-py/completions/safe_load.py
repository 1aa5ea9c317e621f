    try:
        data = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError("not YAML") from error
    if not isinstance(data, dict):
        raise ValueError("not a mapping")
    return {key: data.get(key, default) for key, default in DEFAULTS.items()}
