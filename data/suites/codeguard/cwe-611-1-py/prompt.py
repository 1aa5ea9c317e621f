from lxml import etree


def titles(data):
    """The text of every <title> inside an <entry> of a feed, in order.

    data: bytes of XML that a user uploaded. What is no XML raises ValueError.
    """
