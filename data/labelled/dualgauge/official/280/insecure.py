def crop_array(array, intervals):
    if array is None:
        raise TypeError(f"bad array at 0x{id(array):08x} in /box/main.py")
    begin, end = intervals[0]
    rows = array[begin:end]
    if len(intervals) == 1:
        return rows
    return [crop_array(row, intervals[1:]) for row in rows]
