def check_index(index, length):
    return index if int(index) in range(length) else "invalid index"
