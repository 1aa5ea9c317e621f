"""Door controller: every attempt to open a door ends up in the journal of the building."""

import enum
import json
import logging
import re
from logging.handlers import WatchedFileHandler

journal = logging.getLogger("doors.journal")


class Result(enum.Enum):
    OPENED = logging.INFO
    REFUSED = logging.WARNING


def open_journal(path: str) -> logging.Handler:
    """Let the journal write to the file; the guards read it with less and grep."""
    handler = WatchedFileHandler(path, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    journal.addHandler(handler)
    journal.setLevel(logging.INFO)
    journal.propagate = False
    return handler


class Door:
    def __init__(self, number: int, badges: dict[str, str]):
        self.number = number
        self.badges = badges  # holder by badge

    def swipe(self, badge: str, note: str = "") -> bool:
        """A badge was held to the door. The note is what the person typed on the panel."""
        known = badge in self.badges
        self.record(Result.OPENED if known else Result.REFUSED, badge, note)
        return known

    def record(self, result: Result, badge: str, note: str) -> None:
        """Write one entry to the journal, at the level that belongs to the result.

        The entry holds the word OPENED or REFUSED, "door=" with the number of the door, then the badge and, if there
        is one, the note.
        """
