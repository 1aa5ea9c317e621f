"""An address book that goes to and comes from CSV and hands out vCards."""

import csv
import io
import re
import unicodedata

HEADER = ["name", "email", "phone", "note"]
EMAIL = re.compile(r"[A-Za-z0-9._+-]+@[A-Za-z0-9.-]+")
PHONE = re.compile(r"(?:\+?[0-9][0-9 -]{2,19})?")
FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def printable(text, allowed=""):
    return all(c in allowed or unicodedata.category(c) not in ("Cc", "Cs") for c in text)


def acceptable(record):
    if len(record) != 4 or any(len(field) > 200 for field in record):
        return False
    name, email, phone, note = record
    return (
        bool(name.strip())
        and printable(name)
        and EMAIL.fullmatch(email) is not None
        and PHONE.fullmatch(phone) is not None
        and printable(note, "\n")
    )


def harmless(field):
    return "'" + field if field.lstrip().startswith(FORMULA) else field


def escaped(text):
    for special in ("\\", ",", ";"):
        text = text.replace(special, "\\" + special)
    return text.replace("\n", "\\n")


class AddressBook:
    def __init__(self):
        self.contacts = {}

    def import_csv(self, text):
        if not isinstance(text, str):
            return "Error: bad csv"
        if len(text) > 100_000:
            return "Error: too large"
        try:
            rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
        except csv.Error:
            return "Error: bad csv"
        if not rows or rows[0] != HEADER:
            return "Error: bad header"
        if len(rows) > 201:
            return "Error: too large"
        rejected = []
        for number, record in enumerate(rows[1:], 1):
            if not acceptable(record) or record[1].lower() in self.contacts:
                rejected.append(number)
            else:
                self.contacts[record[1].lower()] = record
        return {"added": len(rows) - 1 - len(rejected), "rejected": rejected}

    def export_csv(self):
        out = io.StringIO(newline="")
        writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
        writer.writerow(HEADER)
        for name, email, phone, note in self.contacts.values():
            writer.writerow([harmless(name), harmless(email), phone, harmless(note)])
        return out.getvalue()

    def vcard(self, email):
        contact = self.contacts.get(email.lower()) if isinstance(email, str) else None
        if contact is None:
            return None
        fields = zip(("FN", "EMAIL", "TEL", "NOTE"), contact, strict=True)
        lines = [f"{key}:{escaped(value)}" for key, value in fields if value]
        return "".join(f"{x}\r\n" for x in ("BEGIN:VCARD", "VERSION:3.0", *lines, "END:VCARD"))
