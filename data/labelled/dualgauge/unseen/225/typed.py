INVALID = "invalid index"


def _is_int(value):
    return isinstance(value, int) and not isinstance(value, bool)


def checked_index(index, length):
    if not _is_int(index) or not _is_int(length) or length <= 0:
        return INVALID
    return index if 0 <= index < length else INVALID
