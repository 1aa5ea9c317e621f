"""Log files with rotation and exports that are fetched once by an unpredictable ticket."""

import os
import re
import secrets
import unicodedata

LOGS, EXPORTS = "test_dir/logs", "test_dir/tmp"
NAME, TICKET = re.compile(r"[a-z0-9_-]{1,32}"), re.compile(r"[A-Za-z0-9_-]{16,64}")
LIMIT = 1000


def fits(pattern, value):
    return isinstance(value, str) and pattern.fullmatch(value) is not None


def one_line(message):
    hidden = ("Cc", "Cs", "Zl", "Zp")
    return "".join("?" if unicodedata.category(c) in hidden else c for c in message)


def private(path, flags):
    return os.fdopen(os.open(path, flags | os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o600), "wb")


def remove(path):
    try:
        os.unlink(path)
    except FileNotFoundError:
        return False
    return True


class LogStore:
    def _parts(self, name):
        """The files of a log from the oldest to the newest."""
        return [f"{LOGS}/{name}.log{end}" for end in (".2", ".1", "")]

    def _rotate(self, name):
        oldest, older, current = self._parts(name)
        if os.path.exists(older):
            os.replace(older, oldest)
        os.replace(current, older)

    def append(self, name, message):
        if not fits(NAME, name):
            return "Error: bad name"
        if not isinstance(message, str) or not 1 <= len(message) <= 500:
            return "Error: bad message"
        line = one_line(message).encode() + b"\n"
        current = self._parts(name)[-1]
        if os.path.exists(current) and os.path.getsize(current) + len(line) > LIMIT:
            self._rotate(name)
        with private(current, os.O_APPEND) as log:
            log.write(line)
        return "ok"

    def tail(self, name, count):
        if not fits(NAME, name):
            return "Error: bad name"
        if type(count) is not int or not 1 <= count <= 100:
            return "Error: bad count"
        try:
            with open(self._parts(name)[-1], "rb") as log:
                lines = log.read().decode(errors="replace").split("\n")[:-1]
        except FileNotFoundError:
            return "Error: no such log"
        return lines[-count:]

    def remove(self, name):
        if not fits(NAME, name):
            return "Error: bad name"
        gone = [remove(path) for path in self._parts(name)]
        return "ok" if any(gone) else "Error: no such log"

    def export(self, name):
        if not fits(NAME, name):
            return "Error: bad name"
        parts = [path for path in self._parts(name) if os.path.isfile(path)]
        if not parts:
            return "Error: no such log"
        whole = b""
        for path in parts:
            with open(path, "rb") as log:
                whole += log.read()
        try:
            whole.decode()
        except UnicodeDecodeError:
            return "Error: damaged log"
        os.makedirs(EXPORTS, mode=0o700, exist_ok=True)
        ticket = secrets.token_urlsafe(24)
        with private(f"{EXPORTS}/{ticket}", os.O_EXCL) as copy:
            copy.write(whole)
        return ticket

    def take(self, ticket):
        path = f"{EXPORTS}/{ticket}"
        if not fits(TICKET, ticket) or not os.path.isfile(path):
            return "Error: no such export"
        with open(path, "rb") as copy:
            text = copy.read().decode()
        remove(path)
        return text
