    with open(path, "w", newline="", encoding="utf-8") as sheet:
        csv.writer(sheet).writerows([("name", "iban", "salary"), *people])
    os.chmod(path, stat.S_IRUSR | stat.S_IWUSR)
