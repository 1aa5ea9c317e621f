import io
import xml.etree.ElementTree
import xml.sax
import xml.sax.handler
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

from lxml import etree


class Line(NamedTuple):
    """One line of an order: article number, quantity, and what the customer wrote beside it."""

    article: str
    quantity: Decimal
    remark: str


class BadOrder(Exception):
    """An order that the warehouse cannot use; the text says why and goes back to the customer."""


def order_lines(document: bytes) -> list[Line]:
    """The lines of an order that a customer's system has sent us.

    <order><line article="A-17" quantity="2.5"><remark>by noon</remark></line>...</order>

    The remark may be missing (""). White space around it does not count. A document that is not
    well-formed, whose root is another element, or with a line without article or with a quantity
    that is no number, raises BadOrder.
    """
