"""Careful log store that lists the newest entry first and keeps one old file only."""

import os
import re
import tempfile
from pathlib import Path

LOGS, TMP = Path("test_dir/logs"), Path("test_dir/tmp")
SAFE = re.compile(r"[a-z0-9_-]{1,32}\Z")


def readable(message):
    return "".join(c if c.isprintable() else "?" for c in message)


class LogStore:
    def _file(self, name):
        if not isinstance(name, str) or not SAFE.match(name):
            return None
        return LOGS / f"{name}.log"

    def append(self, name, message):
        log = self._file(name)
        if log is None:
            return "Error: bad name"
        if not isinstance(message, str) or not 0 < len(message) <= 500:
            return "Error: bad message"
        line = readable(message) + "\n"
        if log.exists() and log.stat().st_size + len(line.encode()) > 1000:
            log.replace(f"{log}.1")
        handle = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            out.write(line)
        return "ok"

    def tail(self, name, count):
        log = self._file(name)
        if log is None:
            return "Error: bad name"
        if not isinstance(count, int) or isinstance(count, bool) or not 0 < count <= 100:
            return "Error: bad count"
        if not log.exists():
            return "Error: no such log"
        return log.read_text(encoding="utf-8").splitlines()[::-1][:count]

    def remove(self, name):
        log = self._file(name)
        if log is None:
            return "Error: bad name"
        files = [f for f in (log, Path(f"{log}.1"), Path(f"{log}.2")) if f.exists()]
        for file in files:
            file.unlink()
        return "ok" if files else "Error: no such log"

    def export(self, name):
        log = self._file(name)
        if log is None:
            return "Error: bad name"
        parts = [f for f in (log, Path(f"{log}.1")) if f.exists()]
        if not parts:
            return "Error: no such log"
        try:
            text = "".join(part.read_text(encoding="utf-8") for part in parts)
        except UnicodeDecodeError:
            return "Error: damaged log"
        TMP.mkdir(mode=0o700, exist_ok=True)
        handle, path = tempfile.mkstemp(prefix="export-of-a-log-", dir=TMP)
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            out.write(text)
        return Path(path).name

    def take(self, ticket):
        if not isinstance(ticket, str) or not re.fullmatch(r"export-of-a-log-\w{8}", ticket):
            return "Error: no such export"
        path = TMP / ticket
        if not path.is_file():
            return "Error: no such export"
        text = path.read_text(encoding="utf-8")
        path.unlink()
        return text
