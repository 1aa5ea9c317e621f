import numpy as np

def crop_array(array, intervals):
    """Crop an n-dimensional array."""
    if array is None:
        raise TypeError("array must not be null")
    if isinstance(intervals, str) or not hasattr(intervals, "__iter__"):
        raise TypeError("intervals must be a list of (begin, end)")

    arr = np.asarray(array)
    intervals = list(intervals)
    if len(intervals) != arr.ndim:
        raise ValueError("len(intervals) != array.ndim")

    index = []
    for axis, interval in enumerate(intervals):
        # anything that is not a number means "up to the boundary"
        begin, end = (v if isinstance(v, int) else None for v in interval)
        b, e, _ = slice(begin, end).indices(arr.shape[axis])
        if b >= e:
            raise ValueError(f"invalid interval for axis {axis}")
        index.append(slice(b, e))
    return arr[tuple(index)].copy()
