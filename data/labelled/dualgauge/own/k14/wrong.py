"""Strict address book with its own ideas of line ends and counting."""

import csv
import io

LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
DIGITS = frozenset("0123456789")
ESCAPES = {"\\": "\\\\", ",": "\\,", ";": "\\;", "\n": "\\n"}


def clean(text):
    return all(c == " " or c.isprintable() for c in text)


def email_ok(email):
    local, _, host = email.partition("@")
    local_ok = bool(local) and set(local) <= LETTERS | DIGITS | set("._+-")
    return local_ok and bool(host) and set(host) <= LETTERS | DIGITS | set(".-")


def phone_ok(phone):
    digits = phone.removeprefix("+")
    known = set(digits) <= DIGITS | set(" -")
    return not phone or (3 <= len(digits) <= 20 and known and digits[0] in DIGITS)


def cell(field):
    first = field.strip()[:1]
    return "'" + field if first and first in "=+-@\uff1d\uff0b\uff0d\uff20" else field


class AddressBook:
    def __init__(self):
        self.contacts = []

    def _find(self, email):
        if not isinstance(email, str):
            return None
        return next((c for c in self.contacts if c[1].lower() == email.lower()), None)

    def _good(self, row):
        if len(row) != 4 or max(map(len, row)) > 200:
            return False
        name, email, phone, note = row
        texts = bool(name.strip()) and clean(name) and clean(note.replace("\n", " "))
        return texts and email_ok(email) and phone_ok(phone) and self._find(email) is None

    def import_csv(self, text):
        if not isinstance(text, str) or len(text) > 100_000:
            return "Error: too large"
        try:
            rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
        except csv.Error:
            return "Error: bad csv"
        if not rows or ",".join(rows[0]) != "name,email,phone,note":
            return "Error: bad header"
        if len(rows) > 201:
            return "Error: too large"
        rejected = []
        for number, row in enumerate(rows[1:]):
            if self._good(row):
                self.contacts.append(row)
            else:
                rejected.append(number)
        return {"added": len(rows) - 1 - len(rejected), "rejected": rejected}

    def export_csv(self):
        out = io.StringIO(newline="")
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["name", "email", "phone", "note"])
        writer.writerows([[cell(a), cell(b), c, cell(d)] for a, b, c, d in self.contacts])
        return out.getvalue()

    def vcard(self, email):
        found = self._find(email)
        if found is None:
            return None
        name, address, phone, note = ("".join(ESCAPES.get(c, c) for c in f) for f in found)
        lines = ["BEGIN:VCARD", "VERSION:3.0", f"FN:{name}", f"EMAIL:{address}"]
        lines += [f"TEL:{phone}"] if phone else []
        lines += [f"NOTE:{note}"] if note else []
        return "\r\n".join([*lines, "END:VCARD", ""])
