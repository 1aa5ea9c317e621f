import json
import re
import sqlite3
from dataclasses import dataclass, field


@dataclass
class Filters:
    """What a visitor asked for; every text is as it stood in the address of the page."""

    states: list[str] = field(default_factory=list)
    assignee: str = ""
    words: str = ""
    limit: str = ""


class TicketStore:
    """The help desk's tickets: table tickets (id INTEGER, title TEXT, state TEXT, assignee TEXT).

    The database has a table accounts (name TEXT, token TEXT) as well.
    """

    def __init__(self, path):
        self.connection = sqlite3.connect(path)
        self.connection.row_factory = sqlite3.Row

    def close(self):
        self.connection.close()

    def find(self, filters):
        """The titles of the tickets that meet all filters, the newest (highest id) first, as a list.

        A filter that is empty is not applied. states: the ticket is in one of them; words: the
        title holds them, in letters of any case; limit: the most titles, a number from 1 to 99,
        and 20 if anything else stands there.
        """
