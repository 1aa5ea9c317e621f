    name = secure_filename(title)
    if not name:
        raise ValueError("the title gives no usable file name")
    path = os.path.join(folder, name + ".txt")
    with open(path, "w") as file:
        file.write(text)
    return path
