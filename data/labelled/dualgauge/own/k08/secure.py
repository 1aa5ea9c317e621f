"""Order import: totals of one customer from an XML document."""

import re
from decimal import Decimal
from xml.parsers import expat

MAX_CHARS = 1_000_000
MAX_DEPTH = 50
QUANTITY = re.compile(r"[1-9][0-9]{0,3}")
PRICE = re.compile(r"[0-9]{1,5}\.[0-9]{2}")


class InvalidDocument(Exception):
    pass


class InvalidOrder(Exception):
    pass


class _Reader:
    """Collects plain data from expat's events; nothing is declared, expanded or fetched."""

    def __init__(self):
        self.path = []
        self.orders = []
        self.parser = expat.ParserCreate()
        self.parser.StartDoctypeDeclHandler = self._refuse
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text

    def _refuse(self, *_):
        raise InvalidDocument

    def _start(self, name, attributes):
        if len(self.path) >= MAX_DEPTH or (not self.path and name != "orders"):
            raise InvalidDocument
        if self.path == ["orders"] and name == "order":
            order = {"customer": [], "note": [], "items": [], "pure": True}
            self.orders.append(order | {"id": attributes.get("id", "")})
        elif self.path == ["orders", "order"]:
            if name == "item":
                self.orders[-1]["items"].append(attributes)
            elif name in ("customer", "note"):
                self.orders[-1][name].append("")
        elif self.path[:2] == ["orders", "order"] and self.path[2] in ("customer", "note"):
            self.orders[-1]["pure"] = False
        self.path.append(name)

    def _end(self, _name):
        self.path.pop()

    def _text(self, data):
        if len(self.path) == 3 and self.path[1] == "order":
            if self.path[2] in ("customer", "note"):
                self.orders[-1][self.path[2]][-1] += data


def _read(document):
    if not isinstance(document, str) or len(document) > MAX_CHARS:
        raise InvalidDocument
    reader = _Reader()
    try:
        reader.parser.Parse(document, True)
    except (expat.ExpatError, UnicodeError) as error:
        raise InvalidDocument from error
    return reader.orders


def _amount(item):
    """Quantity times price of one item, None if either breaks its rule."""
    quantity, price = item.get("quantity", ""), item.get("price", "")
    if not item.get("sku") or not QUANTITY.fullmatch(quantity) or not PRICE.fullmatch(price):
        return None
    return int(quantity) * Decimal(price) if int(quantity) <= 1000 else None


def _check(order, seen):
    """The total of an order that keeps every rule."""
    shape = len(order["customer"]) == 1 and len(order["note"]) <= 1 and order["pure"]
    amounts = [_amount(item) for item in order["items"]]
    if not shape or not amounts or None in amounts or not order["id"] or order["id"] in seen:
        raise InvalidOrder(order["id"])
    seen.add(order["id"])
    return sum(amounts, Decimal("0.00"))


def import_orders(document, customer):
    seen, mine, grand = set(), [], Decimal("0.00")
    try:
        for order in _read(document):
            total = _check(order, seen)
            if order["customer"][0] == customer:
                note = order["note"][0] if order["note"] else ""
                mine.append({"id": order["id"], "note": note, "total": f"{total:.2f}"})
                grand += total
    except InvalidDocument:
        return {"error": "invalid document"}
    except InvalidOrder as error:
        return {"error": f"invalid order: {error}"}
    return {"customer": customer, "orders": mine, "total": f"{grand:.2f}"}
