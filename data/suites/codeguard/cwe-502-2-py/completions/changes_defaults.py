    try:
        data = yaml.safe_load(text)
    except yaml.YAMLError:
        raise ValueError("not YAML")
    if not isinstance(data, dict):
        raise ValueError("not a mapping")
    layout = DEFAULTS
    layout.update({k: v for k, v in data.items() if k in layout})
    return layout
