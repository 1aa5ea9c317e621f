"""What published items lack: services that they need but do not declare, tests that are wrong.

overlays/<suite>.json holds, for an item's id: prompt_sha256 (the overlay is for that text only),
services (as kit.harness.service_setup), files (path -> text), quarantine (test id -> the
reason, which `kit evaluate` prints: such a test is left out for every program, so that it is in
no denominator).
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from kit.harness import service_setup
from kit.records import Task

_FOLDER = Path(__file__).parent / "overlays"


@lru_cache
def shipped() -> dict[str, dict[str, Any]]:
    """Overlays by the hash of the prompt that they are for."""
    found: dict[str, dict[str, Any]] = {}
    for path in sorted(_FOLDER.glob("*.json")):
        items = json.loads(path.read_text(encoding="utf-8"))
        found |= {item["prompt_sha256"]: item for item in items.values()}
    return found


def fingerprint(prompt: str) -> str:
    """The hash by which an overlay knows its item."""
    return hashlib.sha256(prompt.strip().encode()).hexdigest()


def apply(
    task: Task, overlays: Mapping[str, Mapping[str, Any]] | None = None
) -> tuple[Task, list[str]]:
    """The task with what its overlay adds, and a sentence for each test that it takes away."""
    item = (shipped() if overlays is None else overlays).get(fingerprint(task.prompt))
    if item is None:
        return task, []
    out = {k: v for k, v in item.get("quarantine", {}).items() if k in {t.id for t in task.tests}}
    added = {path: text.encode() for path, text in item.get("files", {}).items()}
    setup = {"services": item.get("services", [])}
    given = task.services or tuple(service_setup.read(setup, task.files))
    kept = tuple(t for t in task.tests if t.id not in out)
    task = replace(task, tests=kept, files={**added, **task.files}, services=given)
    return task, [f"{test} is in quarantine and left out: {why}" for test, why in out.items()]
