    def private(name, flags):
        return os.open(name, flags, 0o600)

    with open(path, "w", newline="", encoding="utf-8", opener=private) as csvfile:
        table = csv.DictWriter(csvfile, fieldnames=["name", "iban", "salary"])
        table.writeheader()
        for name, iban, salary in people:
            table.writerow({"name": name, "iban": iban, "salary": salary})
