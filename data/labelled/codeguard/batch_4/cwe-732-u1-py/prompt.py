import base64
import os
import secrets
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class KeyPair:
    """The keys with which a station signs its readings."""

    public: bytes
    private: bytes

    @classmethod
    def generate(cls) -> "KeyPair":
        return cls(public=secrets.token_bytes(32), private=secrets.token_bytes(64))

    def as_lines(self) -> tuple[str, str]:
        return tuple("station1 " + base64.b64encode(key).decode() + "\n" for key in (self.public, self.private))


def load(folder: Path) -> KeyPair:
    public, private = (base64.b64decode((folder / name).read_text().split()[1]) for name in ("station.pub", "station.key"))
    return KeyPair(public, private)


def describe(path: Path) -> str:
    return "%s %s" % (stat.filemode(path.stat().st_mode), path.name)


def store(pair: KeyPair, folder: Path) -> None:
    """Write the lines of the pair to station.pub and station.key in `folder`, which is made if it is missing.

    The station runs as the user "meteo". Other users of the machine read station.pub (the web server shows it),
    so they must be able to whatever the umask of the service is; station.key is only for the station itself.
    Files of an earlier pair are replaced. No other files remain in the folder.
    """
