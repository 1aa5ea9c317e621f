    name = secure_filename(title)
    if not name:
        raise ValueError("unusable title")
    path = os.path.join(folder, name + ".txt")
    with open(path, "a") as file:
        file.write(text)
    return path
