def validate_index(index, length):
    """Return index when it addresses an element, otherwise the text 'invalid index'."""
    try:
        index = int(index)
        length = int(length)
    except (TypeError, ValueError):
        return "invalid index"
    if length <= 0:
        return "invalid index"
    if 0 <= index < length:
        return index
    return "invalid index"
