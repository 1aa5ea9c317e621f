def get_valid_index(index, length):
    valid_indices = [i for i in range(length)]
    if index in valid_indices:
        return index
    else:
        return "invalid index"
