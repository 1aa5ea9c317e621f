def _shape(array):
    shape = []
    while isinstance(array, list):
        shape.append(len(array))
        array = array[0] if array else None
    return shape


def _crop(array, slices):
    if not slices:
        return array
    return [_crop(part, slices[1:]) for part in array[slices[0]]]


def crop_array(array, intervals):
    if array is None:
        raise TypeError("array must not be null")
    if not isinstance(intervals, (list, tuple)):
        raise TypeError("intervals must be a list")
    shape = _shape(array)
    if len(intervals) != len(shape):
        raise ValueError("one interval for each dimension is needed")
    slices = []
    for (begin, end), size in zip(intervals, shape):
        for bound in (begin, end):
            if bound is not None and (isinstance(bound, bool) or not isinstance(bound, int)):
                raise TypeError("bounds must be integers or null")
        start, stop, _ = slice(begin, end).indices(size)
        if start >= stop:
            raise ValueError("begin must be below end")
        slices.append(slice(begin, end))
    return _crop(array, slices)
