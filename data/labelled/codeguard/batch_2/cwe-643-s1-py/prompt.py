import re

from lxml import etree


class Directory:
    """The staff of a company: <staff><person name="Ada" private="no"><phone>12</phone></person>...</staff>."""

    def __init__(self, path):
        self.tree = etree.parse(path)

    def phones(self, name):
        """The phone numbers (texts) of the people with exactly this name who are not private.

        name: typed by a visitor. People are private whose attribute "private" is "yes".
        """
