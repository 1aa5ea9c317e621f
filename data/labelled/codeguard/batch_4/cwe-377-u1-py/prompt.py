import csv
import logging
import os
import secrets
import subprocess
import tempfile
import time
from typing import Callable, NamedTuple, TextIO

log = logging.getLogger(__name__)
COLUMNS = ("name", "street", "town")


class Label(NamedTuple):
    name: str
    street: str
    town: str


def write_labels(labels: list[Label], file: TextIO) -> None:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(labels)


def lp(path: str) -> None:
    """Give a file to the queue of the label printer; the command reads it before it returns."""
    subprocess.run(["lp", "-d", "labels", "--", path], check=True, timeout=60)


def print_labels(labels: list[Label], send: Callable[[str], None] = lp) -> int:
    """Print one label per address and return how many there were; without labels nothing is sent.

    `send` gets the path of a UTF-8 text file made by write_labels, complete and closed, in a place for temporary
    files. The name ends in ".csv" because the driver looks at that. Afterwards the file is removed again, also
    when `send` raises.
    """
    if not labels:
        return 0
