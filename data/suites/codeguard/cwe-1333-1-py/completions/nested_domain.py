    if len(text) > 254:
        return False
    pattern = re.compile(r"^[A-Za-z0-9+_-]+(\.[A-Za-z0-9+_-]+)*@(([A-Za-z0-9-])+\.?)+(?<=[A-Za-z0-9-])$")
    match = pattern.match(text)
    return match is not None and "." in text.split("@")[1]
