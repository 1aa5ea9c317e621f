    name = "".join(c for c in title if c.isalnum() or c in "-_")
    if not name:
        raise ValueError("unusable title")
    path = os.path.join(folder, name + ".txt")
    with open(path, "w") as file:
        file.write(text)
    return path
