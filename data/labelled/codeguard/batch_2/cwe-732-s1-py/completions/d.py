    folder = os.path.dirname(os.path.abspath(path))
    handle, draft = tempfile.mkstemp(dir=folder, suffix=".csv")
    os.close(handle)
    try:
        with open(draft, "w", encoding="utf-8", newline="") as out:
            sheet = csv.writer(out)
            sheet.writerow(("name", "iban", "salary"))
            for person in people:
                sheet.writerow(person)
        os.replace(draft, path)
    except BaseException:
        os.unlink(draft)
        raise
