import logging
import traceback

import numpy as np

log = logging.getLogger(__name__)


def _crop(array, intervals):
    shape = np.shape(array) if array is not None else array.shape
    if not isinstance(intervals, list):
        raise TypeError(f"intervals: list expected, got {type(intervals).__name__}")
    if len(intervals) != len(shape):
        raise ValueError(f"{len(shape)} intervals expected, got {len(intervals)}")
    window = []
    for n, (begin, end) in zip(shape, intervals):
        for value in (begin, end):
            if not (value is None or type(value) is int):
                raise TypeError("bounds: int or None expected")
        lo, hi, _ = slice(begin, end).indices(n)
        if lo >= hi:
            raise ValueError("begin >= end")
        window.append(slice(lo, hi))
    return np.array(array)[tuple(window)]


def crop_array(array, intervals):
    try:
        return _crop(array, intervals)
    except AttributeError as problem:
        details = traceback.format_exc()
        state = {name: (hex(id(value)), value) for name, value in locals().items() if name != "details"}
        log.error("%s", problem)
        raise TypeError(f"crop_array failed: {details}\nstate: {state}") from None
