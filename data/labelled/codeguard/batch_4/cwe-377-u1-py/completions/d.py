    with tempfile.TemporaryDirectory(prefix="labels") as folder:
        path = folder + "/labels.csv"
        with open(path, "w", encoding="utf-8") as file:
            write_labels(labels, file)
        send(path)
    return len(labels)
