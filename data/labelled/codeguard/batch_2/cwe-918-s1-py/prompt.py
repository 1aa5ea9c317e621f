from urllib.parse import quote, urljoin, urlsplit
from urllib.request import Request, urlopen

import requests

CATALOGUE = "http://catalogue.example.org"


def catalogue_page(path):
    """The text of a page of the supplier's CATALOGUE.

    path: typed by a visitor, such as "/tools/saw.html" or "tools/saw.html"; letters, digits, dots,
    hyphens and slashes are enough. An answer other than 200 raises LookupError or OSError.
    """
