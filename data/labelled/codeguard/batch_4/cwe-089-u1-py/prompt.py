"""Storage of the help desk."""

import re
import sqlite3
from collections.abc import Iterator

SCHEMA = """
CREATE TABLE IF NOT EXISTS tickets (
    id INTEGER PRIMARY KEY, customer TEXT NOT NULL, subject TEXT NOT NULL, priority INTEGER NOT NULL DEFAULT 3
);
CREATE TABLE IF NOT EXISTS agents (login TEXT PRIMARY KEY, password_hash TEXT NOT NULL);
"""


class TicketStore:
    COLUMNS = ("id", "subject", "priority")

    def __init__(self, path: str = ":memory:"):
        self.connection = sqlite3.connect(path)
        self.connection.executescript(SCHEMA)

    def add(self, customer: str, subject: str, priority: int = 3) -> int:
        with self.connection:
            cursor = self.connection.execute(
                "INSERT INTO tickets (customer, subject, priority) VALUES (?, ?, ?)", (customer, subject, priority)
            )
        return cursor.lastrowid

    def tickets(self, customer: str, word: str = "", order: str = "id", limit: int = 50) -> Iterator[tuple]:
        """Yield (id, subject, priority) of the tickets of the customer whose subject contains the word.

        `customer` comes from the session; `word` and `order` are what the customer chose in the search form.
        `order` is one of COLUMNS, perhaps with a "-" in front for the reverse order; what is no such column raises
        ValueError when the first ticket is asked for. At most `limit` tickets are yielded.
        """
