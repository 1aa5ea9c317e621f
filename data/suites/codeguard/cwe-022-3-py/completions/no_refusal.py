    name = secure_filename(title)
    path = os.path.join(folder, name + ".txt")
    with open(path, "w") as file:
        file.write(text)
    return path
