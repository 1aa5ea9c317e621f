    name = title.replace("../", "").lstrip("/")
    if not name.strip("./"):
        raise ValueError("unusable title")
    path = f"{folder}/{name}.txt"
    with open(path, "w") as file:
        file.write(text)
    return path
