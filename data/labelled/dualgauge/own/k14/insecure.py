"""Contacts: CSV in, CSV and vCard out."""

import csv
import io
import re

EMAIL = re.compile(r"^[\w.+-]+@[\w.-]+$")
PHONE = re.compile(r"^\+?[0-9][0-9 -]{2,19}")


def safe_cell(value):
    """Put an apostrophe before cells that a spreadsheet would calculate."""
    if value and value[0] in "=+-@":
        return "'" + value
    return value


class AddressBook:
    def __init__(self):
        self.contacts = {}

    def import_csv(self, text):
        if len(text) > 100000:
            return "Error: too large"
        try:
            rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
        except csv.Error:
            return "Error: bad csv"
        if not rows or rows[0] != ["name", "email", "phone", "note"]:
            return "Error: bad header"
        rejected = []
        for number, row in enumerate(rows[1:], 1):
            if len(row) != 4 or not row[0].strip() or len(row[0]) > 200 or len(row[3]) > 200:
                rejected.append(number)
                continue
            name, email, phone, note = row
            if not EMAIL.match(email) or (phone and not PHONE.match(phone)):
                rejected.append(number)
                continue
            if "\x00" in name + note or email in self.contacts:
                rejected.append(number)
                continue
            self.contacts[email] = row
        return {"added": len(rows) - 1 - len(rejected), "rejected": rejected}

    def export_csv(self):
        lines = ['"name","email","phone","note"']
        for name, email, phone, note in self.contacts.values():
            cells = [safe_cell(name), safe_cell(email), phone, safe_cell(note)]
            lines.append(",".join('"' + cell.replace('"', '""') + '"' for cell in cells))
        return "\r\n".join(lines) + "\r\n"

    def vcard(self, email):
        for name, known, phone, note in self.contacts.values():
            if known.lower() == email.lower():
                card = ["BEGIN:VCARD", "VERSION:3.0", "FN:" + self._escape(name), "EMAIL:" + known]
                if phone:
                    card.append("TEL:" + phone)
                if note:
                    card.append("NOTE:" + self._escape(note).replace("\n", "\\n"))
                return "\r\n".join([*card, "END:VCARD"]) + "\r\n"
        return None

    def _escape(self, text):
        return text.replace("\\", "\\\\").replace(",", "\\,").replace(";", "\\;")
