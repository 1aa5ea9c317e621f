"""Strict reader of a payment form, without patterns; puts the remainder at the end."""

import calendar
import string

DIGITS, UPPER = frozenset(string.digits), frozenset(string.ascii_uppercase)
TARIFFS = {"1": "basic", "2": "family", "3": "premium", "4": "corporate"}
FIELDS = ("date", "amount", "iban", "tariff", "instalments", "reference")


def number(text, length=None):
    """The value of ASCII digits, or None."""
    if not text or len(text) > 10 or not set(text) <= DIGITS or length not in (None, len(text)):
        return None
    return int(text)


def date_of(text):
    pieces = text.split(".")
    if len(pieces) != 3:
        return None
    day, month, year = number(pieces[0], 2), number(pieces[1], 2), number(pieces[2], 4)
    if not day or not month or not year or month > 12 or not 1900 <= year <= 2100:
        return None
    if day > calendar.monthrange(year, month)[1]:
        return None
    return f"{day:02d}-{month:02d}-{year}"


def cents_of(text):
    whole, comma, fraction = text.partition(",")
    cents = number(fraction, 2) if comma else 0
    groups = whole.split(".")
    if len(groups) > 1 and not (1 <= len(groups[0]) <= 3 and all(len(g) == 3 for g in groups[1:])):
        return None
    units = number("".join(groups))
    if units is None or cents is None or not 0 < units * 100 + cents <= 10**9:
        return None
    return units * 100 + cents


def iban_of(text):
    plain = "".join(c for c in text if c != " ")
    if not plain.isascii() or not 15 <= len(plain) <= 34:
        return None
    plain = plain.upper()
    check = number(plain[2:4], 2)
    if not set(plain) <= DIGITS | UPPER or not set(plain[:2]) <= UPPER:
        return None
    if check is None or not 2 <= check <= 98:
        return None
    rest = 0
    for c in plain[4:] + plain[:4]:
        value = int(c, 36)
        rest = (rest * (100 if value > 9 else 10) + value) % 97
    return plain if rest == 1 else None


def reference_of(text):
    words = text.replace("-", " ").split(" ")
    good = all(word and set(word) <= DIGITS | UPPER for word in words)
    return text if good and len(text) <= 140 else None


def count_of(text):
    count = number(text) if not text.startswith("0") else None
    return count if count and count <= 12 else None


def parse_payment(form):
    given = form if isinstance(form, dict) else {}
    readers = (date_of, cents_of, iban_of, TARIFFS.get, count_of, reference_of)
    values = {}
    for field, reader in zip(FIELDS, readers, strict=True):
        text = given.get(field)
        values[field] = reader(text) if isinstance(text, str) else None
    errors = [field for field, value in values.items() if value is None]
    if errors:
        return {"valid": False, "errors": errors if given else ["form"]}
    count = values["instalments"]
    each = values["amount"] // count
    values["instalments"] = [each] * (count - 1) + [values["amount"] - each * (count - 1)]
    return {"valid": True, "values": values}
