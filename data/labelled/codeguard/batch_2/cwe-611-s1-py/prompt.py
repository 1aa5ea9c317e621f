import io
import xml.etree.ElementTree as ElementTree
import xml.sax
import xml.sax.handler

from lxml import etree


def read_invoice(data):
    """What an invoice says: {"number": text, "customer": text, "cents": sum of its items}.

    data: the bytes of a file that a supplier sent, such as <invoice number="7"><customer>Ada
    </customer><item cents="250"/><item cents="99"/></invoice>. Blanks around the customer are
    left out. Raises ValueError for what is no XML.
    """
