import numpy as np


def crop_array(array, intervals):
    if array is None:
        raise TypeError("Array cannot be None")

    array = np.array(array)
    begins = []
    ends = []
    for begin, end in intervals:
        begins.append(begin)
        ends.append(end)

    if len(begins) != array.ndim:
        raise ValueError("Length of intervals does not match array dimensions")

    slices = []
    for begin, end, dim in zip(begins, ends, array.shape):
        start = 0 if begin is None else int(begin)
        stop = dim if end is None else int(end)
        if start < 0:
            start += dim
        if stop < 0:
            stop += dim
        if start >= stop:
            raise ValueError("Begin index must be less than end index")
        slices.append(slice(start, stop))
    return array[tuple(slices)]
