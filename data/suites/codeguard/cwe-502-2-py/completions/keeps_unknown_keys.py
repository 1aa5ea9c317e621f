    try:
        data = yaml.safe_load(text)
    except yaml.YAMLError:
        raise ValueError("not YAML")
    if not isinstance(data, dict):
        raise ValueError("not a mapping")
    return {**DEFAULTS, **data}
