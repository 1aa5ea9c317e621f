def check_index(index, length):
    for value in (index, length):
        if isinstance(value, bool) or not isinstance(value, int):
            return "invalid index"
    return index if 0 <= index < length else "invalid index"
