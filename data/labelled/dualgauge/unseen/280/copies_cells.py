import itertools
import numbers

import numpy as np


def crop_array(array, intervals):
    if array is None:
        raise TypeError("array is None")
    if not isinstance(intervals, list):
        raise TypeError("intervals must be a list")
    source = np.array(array)
    if source.ndim != len(intervals):
        raise ValueError("number of intervals must equal number of dimensions")

    resolved = []
    for extent, (begin, end) in zip(source.shape, intervals):
        begin = 0 if begin is None else begin
        end = extent if end is None else end
        if not isinstance(begin, numbers.Integral) or not isinstance(end, numbers.Integral):
            raise TypeError("interval bounds must be integers or None")
        begin = begin + extent if begin < 0 else begin
        end = end + extent if end < 0 else end
        if begin >= end:
            raise ValueError("begin must be smaller than end")
        resolved.append((begin, end))

    result = np.empty([end - begin for begin, end in resolved], dtype=source.dtype)
    for cell in itertools.product(*(range(b, e) for b, e in resolved)):
        target = tuple(i - b for i, (b, _) in zip(cell, resolved))
        result[target] = source[cell]
    return result
