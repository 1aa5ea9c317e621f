"""Cropping of nested lists, without NumPy."""
import operator


def _shape(node):
    dims = []
    while isinstance(node, (list, tuple)):
        dims.append(len(node))
        node = node[0] if node else None
    return dims


def _bound(value, size, default):
    if value is None:
        return default
    i = operator.index(value)  # a TypeError for anything but an integer
    if i < 0:
        i += size
    return min(max(i, 0), size)


def _take(node, ranges):
    if not ranges:
        return node
    (low, high), *rest = ranges
    return [_take(child, rest) for child in node[low:high]]


def crop_array(array, intervals):
    if array is None:
        raise TypeError("array is required")
    if type(intervals) not in (list, tuple):
        raise TypeError("intervals has to be a list of pairs")
    shape = _shape(array)
    if len(shape) != len(intervals):
        raise ValueError("dimensions and intervals differ in number")
    ranges = []
    for n, (begin, end) in zip(shape, intervals):
        low, high = _bound(begin, n, 0), _bound(end, n, n)
        if low >= high:
            raise ValueError("empty or inverted interval")
        ranges.append((low, high))
    return _take(array, ranges)
