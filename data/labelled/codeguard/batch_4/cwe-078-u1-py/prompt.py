"""Look into the logs of the machines; they are large, so grep and tail do the work."""

import os
import re
import shlex
import subprocess
from pathlib import Path


class LogError(Exception):
    pass


class LogBook:
    """The logs of a folder, one file NAME.log per machine."""

    def __init__(self, folder: str):
        self.folder = Path(folder)

    def path(self, machine: str) -> Path:
        if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", machine):
            raise LogError(f"no machine {machine!r}")
        path = self.folder / f"{machine}.log"
        if not path.is_file():
            raise LogError(f"no log of {machine}")
        return path

    def machines(self) -> list[str]:
        return sorted(path.stem for path in self.folder.glob("*.log"))

    def search(self, machine: str, text: str, count: int = 10) -> list[str]:
        """Return the last `count` lines of the log of the machine that hold the text, oldest first.

        The text is what the operator typed into the search field of the web page; it is meant literally, it is no
        pattern. If no line holds it, the answer is an empty list.
        """
