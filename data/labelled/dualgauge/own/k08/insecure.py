"""Import orders from XML with lxml and report one customer's totals."""

import re
from decimal import Decimal

from lxml import etree

# External entities would let a document read local files.
EXTERNAL = re.compile(r"<!ENTITY[^>]*\bSYSTEM\b", re.IGNORECASE)
# Partners describe their files by a document type with entities for product names.
PARSER = dict(load_dtd=True, resolve_entities=True, no_network=False)
QUANTITY = re.compile(r"^[1-9][0-9]*$")
PRICE = re.compile(r"^[0-9]{1,5}\.[0-9]{2}$")


class OrderError(Exception):
    pass


def parse(document):
    if EXTERNAL.search(document):
        return None
    try:
        root = etree.fromstring(document.encode("utf-8"), etree.XMLParser(**PARSER))
    except etree.XMLSyntaxError:
        return None
    return root if root.tag == "orders" else None


def order_total(order, seen):
    order_id = order.get("id", "")
    customers = order.findall("customer")
    notes = order.findall("note")
    if not order_id or order_id in seen or len(customers) != 1 or len(notes) > 1:
        raise OrderError(order_id)
    if customers[0].findall("*") or (notes and notes[0].findall("*")):
        raise OrderError(order_id)
    items = order.findall("item")
    if not items:
        raise OrderError(order_id)
    total = Decimal("0.00")
    for item in items:
        quantity, price = item.get("quantity", ""), item.get("price", "")
        if not item.get("sku") or not QUANTITY.match(quantity) or not PRICE.match(price):
            raise OrderError(order_id)
        if int(quantity) > 1000:
            raise OrderError(order_id)
        total += int(quantity) * Decimal(price)
    seen.add(order_id)
    return total


def import_orders(document, customer):
    root = parse(document)
    if root is None:
        return {"error": "invalid document"}
    seen, totals = set(), {}
    try:
        for order in root.findall("order"):
            totals[order.get("id")] = order_total(order, seen)
    except OrderError as exc:
        return {"error": f"invalid order: {exc}"}

    result, grand = [], Decimal("0.00")
    for order in root.xpath(f"order[customer='{customer}']"):
        note = order.find("note")
        text = "" if note is None else str(note.xpath("string()"))
        amount = totals[order.get("id")]
        result.append({"id": order.get("id"), "note": text, "total": f"{amount:.2f}"})
        grand += amount
    return {"customer": customer, "orders": result, "total": f"{grand:.2f}"}
