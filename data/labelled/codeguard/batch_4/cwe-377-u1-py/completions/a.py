    path = tempfile.mktemp(suffix=".csv", prefix="labels-")
    try:
        with open(path, "w", encoding="utf-8") as file:
            write_labels(labels, file)
        send(path)
    finally:
        if os.path.lexists(path):
            os.unlink(path)
    return len(labels)
