import io
import xml.sax.handler
from collections import namedtuple
from xml.etree import ElementTree

from lxml import etree

GPX = "{http://www.topografix.com/GPX/1/1}"

Point = namedtuple("Point", "name lat lon")


class NotATrack(ValueError):
    pass


class WaypointHandler(xml.sax.handler.ContentHandler):
    """Collects the waypoints of a GPX document as the parser goes through it."""

    def __init__(self):
        super().__init__()
        self.points, self._place, self._name, self._text = [], None, "", ""

    def startElement(self, tag, attrs):
        if tag == "wpt":
            self._place, self._name = (float(attrs["lat"]), float(attrs["lon"])), ""
        self._text = ""

    def characters(self, content):
        self._text += content

    def endElement(self, tag):
        if tag == "name":
            self._name = self._text.strip()
        elif tag == "wpt":
            self.points.append(Point(self._name, *self._place))


def waypoints(data: bytes) -> list[Point]:
    """Return the waypoints (elements "wpt" of the GPX namespace) of an uploaded document in their order.

    A waypoint has the attributes "lat" and "lon" (numbers) and an element "name"; without it the name is "".
    Some devices write a DOCTYPE with entities of their own for the names, such as <!ENTITY hut "Alpine hut">; they are
    welcome but may also be refused. Raises NotATrack if the bytes are no well-formed XML or numbers are missing.
    """
