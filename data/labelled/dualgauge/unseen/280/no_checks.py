import numpy as np


def crop_array(array, intervals):
    if array is None:
        raise TypeError("array must not be None")
    if not isinstance(intervals, list):
        raise TypeError("intervals must be a list")
    for begin, end in intervals:
        if any(not isinstance(v, (int, type(None))) for v in (begin, end)):
            raise TypeError("interval values must be int or None")
    return np.array(array)[tuple(slice(begin, end) for begin, end in intervals)]
