    if not title.strip("./"):
        raise ValueError("unusable title")
    path = os.path.join(folder, title + ".txt")
    with open(path, "w") as file:
        file.write(text)
    return path
