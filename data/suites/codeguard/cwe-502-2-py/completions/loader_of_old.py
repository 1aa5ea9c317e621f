    try:
        data = yaml.load(text, Loader=yaml.Loader)
    except yaml.YAMLError as e:
        raise ValueError(str(e))
    if not isinstance(data, dict):
        raise ValueError("mapping expected")
    result = DEFAULTS.copy()
    for key in data:
        if key in result:
            result[key] = data[key]
    return result
