    try:
        found = yaml.load(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError:
        raise ValueError("the text is no YAML")
    if type(found) is not dict:
        raise ValueError("the text is no mapping")
    layout = dict(DEFAULTS)
    layout.update((k, v) for k, v in found.items() if k in DEFAULTS)
    return layout
