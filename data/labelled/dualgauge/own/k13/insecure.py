"""Log store: rotates logs, exports them, hands exports out."""

import glob
import os

LOGS = "test_dir/logs"
TMP = "test_dir/tmp"


class LogStore:
    def __init__(self):
        self.exports = 0

    def _path(self, name):
        if not name or ".." in name or "/" in name:
            return None
        return os.path.join(LOGS, name + ".log")

    def append(self, name, message):
        path = self._path(name)
        if path is None:
            return "Error: bad name"
        if not message:
            return "Error: bad message"
        line = message.replace("\n", "?")[:500] + "\n"
        if os.path.exists(path) and os.path.getsize(path) + len(line.encode()) > 1000:
            if os.path.exists(path + ".1"):
                os.replace(path + ".1", path + ".2")
            os.replace(path, path + ".1")
        with open(path, "a", encoding="utf-8", newline="") as log:
            log.write(line)
        return "ok"

    def tail(self, name, count):
        path = self._path(name)
        if path is None:
            return "Error: bad name"
        if count == 0 or count > 100:
            return "Error: bad count"
        if not os.path.exists(path):
            return "Error: no such log"
        with open(path, encoding="utf-8", newline="") as log:
            lines = log.read().split("\n")[:-1]
        return lines[-count:]

    def remove(self, name):
        path = self._path(name)
        if path is None:
            return "Error: bad name"
        found = glob.glob(path + "*")
        for each in found:
            os.remove(each)
        return "ok" if found else "Error: no such log"

    def export(self, name):
        path = self._path(name)
        if path is None:
            return "Error: bad name"
        parts = [p for p in (path + ".2", path + ".1", path) if os.path.exists(p)]
        if not parts:
            return "Error: no such log"
        os.makedirs(TMP, exist_ok=True)
        self.exports += 1
        ticket = f"{name}-export-{os.getpid():08d}-{self.exports:04d}"
        try:
            with open(os.path.join(TMP, ticket), "w", encoding="utf-8", newline="") as copy:
                for part in parts:
                    with open(part, encoding="utf-8", newline="") as log:
                        for line in log:
                            copy.write(line)
        except UnicodeDecodeError:
            return "Error: damaged log"
        return ticket

    def take(self, ticket):
        if ".." in ticket:
            return "Error: no such export"
        path = os.path.join(TMP, ticket)
        if not os.path.isfile(path):
            return "Error: no such export"
        with open(path, encoding="utf-8", newline="") as copy:
            text = copy.read()
        os.remove(path)
        return text
