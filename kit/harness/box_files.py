"""What the harness places in a box beside the candidate, and the command that starts it."""

import hashlib
import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

PYTHON = "/usr/bin/python3"
FOLDER = ".kit"
ENVIRONMENT = {"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
_HERE = Path(__file__).parent


def argv(runner: str) -> list[str]:
    """The command that starts a runner."""
    return [PYTHON, f"{FOLDER}/{runner}"]


def job(
    runner: str, content: Mapping[str, Any], *, folders: tuple[str, ...] = ()
) -> dict[str, bytes]:
    """The runner's files and its job; expected outputs never come here."""
    text = json.dumps({**content, "folders": folders})
    needed = {"kit_channel.py", "kit_encode.py", runner}
    needed |= {"kit_serve.py"} if runner == "kit_drive.py" else set()
    sources = {f"{FOLDER}/{name}": _source(name) for name in sorted(needed)}
    return {**sources, f"{FOLDER}/job.json": text.encode()}


@lru_cache
def _source(name: str) -> bytes:
    return (_HERE / "inbox" / name).read_bytes()


@lru_cache
def fingerprint() -> str:
    """A hash over the harness's own text: a changed harness never meets an old result."""
    digest = hashlib.sha256()
    for path in sorted(_HERE.rglob("*.py")):
        digest.update(path.relative_to(_HERE).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]
