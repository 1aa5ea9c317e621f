from typing import List, Optional, Sequence

import numpy as np


def crop_array(array, intervals: List[Sequence[Optional[int]]]) -> np.ndarray:
    if array is None:
        raise TypeError("array must not be None")
    if not isinstance(intervals, (list, tuple)):
        raise TypeError("intervals must be a list")
    data = np.asarray(array)
    if len(intervals) != data.ndim:
        raise ValueError("one interval is needed for each dimension")
    parts = []
    for size, pair in zip(data.shape, intervals):
        if not isinstance(pair, (list, tuple)):
            raise TypeError("an interval is a pair")
        if len(pair) != 2:
            raise ValueError("an interval is a pair")
        for bound in pair:
            if bound is not None and (isinstance(bound, bool) or not isinstance(bound, (int, np.integer))):
                raise TypeError("bounds are integers or None")
        begin, end, _ = slice(*pair).indices(size)
        if begin >= end:
            raise ValueError("begin must be below end")
        parts.append(slice(begin, end))
    return data[tuple(parts)].copy()
