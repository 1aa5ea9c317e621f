import http.client
import json
import re
import string
import urllib.error
import urllib.request
from typing import Any
from urllib.parse import quote, urlsplit

import requests

DOMAIN = "branches.example"


class NoStock(Exception):
    """The stock of a branch that is not to be had."""


class StockDesk:
    """Asks the branches of a chain of bookshops what they have on their shelves.

    Every branch has a server of its own below DOMAIN, such as leeds.branches.example. It is
    asked over http within the company's network, and the question carries a key.
    """

    def __init__(self, key: str, patience: float = 5.0):
        self.headers = {"X-Stock-Key": key, "Accept": "application/json"}
        self.patience = patience  # seconds

    def copies(self, branch: str, isbn: str) -> int:
        """How many copies of a book a branch has: "copies" in the answer to /stock/<isbn>.

        branch: the first part of the name of its server; it and the ISBN are typed by visitors
        of the web site. An answer that is not 200 or not JSON, and a server that cannot be
        reached, raise NoStock; so does a branch that no server can be called.
        """
