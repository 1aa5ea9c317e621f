"""Reads an access log of JSON lines from standard input and prints a report."""

import json
import sys
from collections import Counter

MAX_LINE = 4000
TEXTS = {"user": 40, "path": 200}
NUMBERS = {"time": (0, 4102444800), "status": (100, 599), "bytes": (0, 10**12)}
SHOWN = 3


class Rejected(Exception):
    """A line that is no record."""


def unique(pairs):
    found = dict(pairs)
    if len(found) != len(pairs):
        raise Rejected
    return found


def no_constant(_):
    raise Rejected


def read(line):
    """The record of one line; raises Rejected."""
    if len(line) > MAX_LINE:
        raise Rejected
    try:
        record = json.loads(line, object_pairs_hook=unique, parse_constant=no_constant)
    except (ValueError, RecursionError):
        raise Rejected from None
    if not isinstance(record, dict):
        raise Rejected
    for key, longest in TEXTS.items():
        value = record.get(key)
        if not isinstance(value, str) or not 1 <= len(value) <= longest:
            raise Rejected
    for key, (low, high) in NUMBERS.items():
        value = record.get(key)
        if type(value) is not int or not low <= value <= high:
            raise Rejected
    return record


def shown(text):
    """A name in quotes, in printable ASCII only."""
    units = text.encode("utf-16-be", "surrogatepass")
    codes = (int.from_bytes(units[i : i + 2], "big") for i in range(0, len(units), 2))
    plain = (chr(c) if 0x20 <= c <= 0x7E and chr(c) not in '"\\' else f"\\u{c:04x}" for c in codes)
    return '"' + "".join(plain) + '"'


def most(counter):
    return sorted(counter.items(), key=lambda pair: (-pair[1], pair[0]))[:SHOWN]


class Report:
    def __init__(self):
        self.accepted = self.rejected = self.total = 0
        self.classes, self.users, self.errors, self.sizes = (Counter() for _ in range(4))

    def add(self, record):
        user, size, status = record["user"], record["bytes"], record["status"]
        self.accepted += 1
        self.total += size
        self.classes[status // 100] += 1
        self.users[user] += 1
        self.sizes[user] += size
        if status >= 500:
            self.errors[record["path"].partition("?")[0]] += 1

    def lines(self):
        yield f"accepted: {self.accepted}"
        yield f"rejected: {self.rejected}"
        yield f"bytes: {self.total}"
        for number, count in sorted(self.classes.items()):
            yield f"{number}xx: {count}"
        for user, count in most(self.users):
            yield f"user {shown(user)} {count} {self.sizes[user]}"
        for path, count in most(self.errors):
            yield f"error {shown(path)} {count}"


def main():
    report = Report()
    for raw in sys.stdin.buffer.read().split(b"\n"):
        line = raw.removesuffix(b"\r").decode("utf-8", "replace")
        if not line.strip(" \t"):
            continue
        try:
            report.add(read(line))
        except Rejected:
            report.rejected += 1
    print("\n".join(report.lines()))


if __name__ == "__main__":
    main()
