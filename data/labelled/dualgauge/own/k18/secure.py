"""Reads a payment form: texts in, checked and converted values out."""

import re
from datetime import date

TARIFFS = ("basic", "family", "premium", "corporate")
DATE = re.compile(r"([0-9]{2})\.([0-9]{2})\.([0-9]{4})")
AMOUNT = re.compile(r"([0-9]{1,8}|[0-9]{1,3}(?:\.[0-9]{3}){1,2})(?:,([0-9]{2}))?")
IBAN = re.compile(r"[A-Z]{2}(?:0[2-9]|[1-8][0-9]|9[0-8])[A-Z0-9]{11,30}")
SMALL = re.compile(r"[1-9][0-9]?")
WORD = re.compile(r"[A-Z0-9]+")


def read_date(text):
    found = DATE.fullmatch(text)
    if not found:
        return None
    day, month, year = map(int, found.groups())
    try:
        return date(year, month, day).isoformat() if 1900 <= year <= 2100 else None
    except ValueError:
        return None


def read_amount(text):
    found = AMOUNT.fullmatch(text)
    if not found:
        return None
    cents = int(found[1].replace(".", "")) * 100 + int(found[2] or 0)
    return cents if 1 <= cents <= 1_000_000_000 else None


def read_iban(text):
    iban = text.replace(" ", "")
    iban = iban.upper() if iban.isascii() else ""
    if not IBAN.fullmatch(iban):
        return None
    number = "".join(str(int(c, 36)) for c in iban[4:] + iban[:4])
    return iban if int(number) % 97 == 1 else None


def read_small(text, high):
    number = int(text) if SMALL.fullmatch(text) else 0
    return number if 1 <= number <= high else None


def read_reference(text):
    if len(text) > 140 or not all(map(WORD.fullmatch, re.split("[ -]", text))):
        return None
    return text


def parts(cents, count):
    each, rest = divmod(cents, count)
    return [each + (i < rest) for i in range(count)]


def parse_payment(form):
    if not isinstance(form, dict):
        return {"valid": False, "errors": ["form"]}
    readers = {
        "date": read_date,
        "amount": read_amount,
        "iban": read_iban,
        "tariff": lambda text: read_small(text, len(TARIFFS)),
        "instalments": lambda text: read_small(text, 12),
        "reference": read_reference,
    }
    texts = {name: form.get(name) for name in readers}
    read = {n: f(texts[n]) if isinstance(texts[n], str) else None for n, f in readers.items()}
    if errors := [name for name, value in read.items() if value is None]:
        return {"valid": False, "errors": errors}
    values = read | {"tariff": TARIFFS[read["tariff"] - 1]}
    values["instalments"] = parts(read["amount"], read["instalments"])
    return {"valid": True, "values": values}
