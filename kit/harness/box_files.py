"""What the harness places in a box beside the candidate, and the command that starts it."""

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from kit.languages import LANGUAGES
from kit.paths import ROOT
from kit.sandbox.base import Sandbox
from kit.versions import version_of

(PYTHON,) = LANGUAGES["python"].command
FOLDER = ".kit"
ENVIRONMENT = {"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
INBOX = "kit/harness/inbox"


def argv(runner: str) -> list[str]:
    """The command that starts a runner."""
    return [PYTHON, f"{FOLDER}/{runner}"]


def job(
    runner: str, content: Mapping[str, Any], *, folders: tuple[str, ...] = ()
) -> dict[str, bytes]:
    """The runner's files and its job; expected outputs never come here."""
    needed = {"kit_channel.py", "kit_encode.py", runner}
    needed |= {"kit_request.py"} if content.get("view") else set()
    needed |= {"kit_serve.py"} if runner == "kit_drive.py" else set()
    return placed(needed, content, folders=folders)


def placed(
    names: Iterable[str], content: Mapping[str, Any], *, folders: tuple[str, ...] = ()
) -> dict[str, bytes]:
    """The named files of the harness and a job, as they lie in the box."""
    text = json.dumps({**content, "folders": folders})
    sources = {f"{FOLDER}/{name}": source(name) for name in sorted(names)}
    return {**sources, f"{FOLDER}/job.json": text.encode()}


@lru_cache
def source(name: str) -> bytes:
    """The text of one of the files that go into a box."""
    return (ROOT / INBOX / name).read_bytes()


def version(module: str) -> str:
    """A hash over what a module of the harness uses: a changed harness meets no old result."""
    return version_of(module, within=("kit.harness", "kit.languages"), placed=(INBOX,))


class BoxFailed(Exception):
    """Our own box did not run; raised so that a cache does not remember the failure."""


class Key:
    """A sandbox as a cache key: equal tiers give equal results."""

    def __init__(self, box: Sandbox) -> None:
        self.box = box

    def __hash__(self) -> int:
        return hash(self.box.identity)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Key) and other.box.identity == self.box.identity
