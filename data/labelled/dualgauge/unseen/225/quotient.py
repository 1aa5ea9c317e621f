from typing import Union


def index_in_bounds(index: int, length: int) -> Union[int, str]:
    if type(index) is not int or type(length) is not int:
        return "invalid index"
    # the quotient is zero exactly for 0 <= index < length
    return index if index // length == 0 else "invalid index"
