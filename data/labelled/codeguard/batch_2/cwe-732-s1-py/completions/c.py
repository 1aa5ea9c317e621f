    with open(path, "w", newline="", encoding="utf-8") as f:
        writer = csv.writer(f)
        writer.writerow(["name", "iban", "salary"])
        for name, iban, salary in people:
            writer.writerow([name, iban, salary])
    os.chmod(path, 0o644)
