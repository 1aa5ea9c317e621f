"""Order import without document type declarations; amounts are numbers."""

import re
from decimal import Decimal
from xml.etree import ElementTree

QUANTITY = re.compile(r"\A[1-9][0-9]{0,3}\Z")
PRICE = re.compile(r"\A[0-9]{1,5}\.[0-9]{2}\Z")
MAX_CHARS = 1_000_000
DEEPEST = 50


class Refused(Exception):
    """Carries the message of the answer."""


class GuardedBuilder(ElementTree.TreeBuilder):
    """Builds a tree of bounded depth and refuses any document type declaration."""

    depth = 0

    def doctype(self, name, pubid, system):
        raise Refused("invalid document")

    def start(self, tag, attrs):
        self.depth += 1
        if self.depth > DEEPEST:
            raise Refused("invalid document")
        return super().start(tag, attrs)

    def end(self, tag):
        self.depth -= 1
        return super().end(tag)


def parse(document):
    if not isinstance(document, str) or len(document) > MAX_CHARS:
        raise Refused("invalid document")
    parser = ElementTree.XMLParser(target=GuardedBuilder())
    try:
        parser.feed(document)
        root = parser.close()
    except ElementTree.ParseError as error:
        raise Refused("invalid document") from error
    if root.tag != "orders":
        raise Refused("invalid document")
    return root


def amount(item):
    quantity, price = item.get("quantity", ""), item.get("price", "")
    if not (item.get("sku") and QUANTITY.match(quantity) and PRICE.match(price)):
        raise Refused("invalid item")
    if int(quantity) >= 1000:
        raise Refused("invalid quantity")
    return int(quantity) * Decimal(price)


def import_orders(document, customer):
    try:
        root = parse(document)
        seen, orders, grand = set(), [], Decimal(0)
        for order in root.findall("order"):
            names, notes, items = (order.findall(t) for t in ("customer", "note", "item"))
            identity = order.get("id")
            if not identity or identity in seen or len(names) != 1 or len(notes) > 1 or not items:
                raise Refused(f"invalid order: {identity or ''}")
            if any(len(element) for element in names + notes):
                raise Refused(f"invalid order: {identity}")
            seen.add(identity)
            total = sum((amount(item) for item in items), Decimal(0))
            if (names[0].text or "") == customer:
                note = (notes[0].text or "") if notes else ""
                orders.append({"id": identity, "note": note, "total": float(total)})
                grand += total
    except Refused as refusal:
        return {"error": str(refusal)}
    return {"customer": customer, "orders": orders, "total": float(grand)}
