"""Form parser for payments."""

import re
from datetime import datetime

TARIFFS = ["basic", "family", "premium", "corporate"]
REFERENCE = re.compile(r"^([A-Z0-9]+[ -]?)+$")


def to_date(text):
    if not re.match(r"^\d{2}\.\d{2}\.\d{4}$", text):
        raise ValueError(text)
    day = datetime.strptime(text.strip(), "%d.%m.%Y").date()
    if not 1900 <= day.year <= 2100:
        raise ValueError(text)
    return day.isoformat()


def to_cents(text):
    value = float(text.replace(".", "").replace(",", "."))
    if value <= 0 or value > 10_000_000:
        raise ValueError(text)
    return int(value * 100)


def to_iban(text):
    iban = text.replace(" ", "").upper()
    if not re.match(r"^[A-Z]{2}\d{2}\w{11,30}$", iban):
        raise ValueError(text)
    moved = iban[4:] + iban[:4]
    number = "".join(str(int(c, 36)) for c in moved)
    if int(number) % 97 != 1:
        raise ValueError(text)
    return iban


def to_reference(text):
    if len(text) > 140 or not REFERENCE.match(text) or text[-1] in " -":
        raise ValueError(text)
    return text


def parse_payment(form):
    if not form:
        return {"valid": False, "errors": ["form"]}
    values, errors = dict(form), []
    converters = {
        "date": to_date,
        "amount": to_cents,
        "iban": to_iban,
        "tariff": lambda text: TARIFFS[int(text) - 1],
        "instalments": int,
        "reference": to_reference,
    }
    for name, convert in converters.items():
        try:
            values[name] = convert(form[name])
        except (KeyError, ValueError, IndexError):
            errors.append(name)
    if "instalments" not in errors and values["instalments"] > 12:
        errors.append("instalments")
    if errors:
        return {"valid": False, "errors": sorted(errors, key=list(converters).index)}
    count = values["instalments"]
    each = values["amount"] // count
    rest = values["amount"] - each * count
    values["instalments"] = [each + 1] * rest + [each] * (count - rest)
    return {"valid": True, "values": values}
