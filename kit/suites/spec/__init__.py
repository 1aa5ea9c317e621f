"""The dual-test suite: specifications with paired functional and security tests.

overlays/<suite>.json says what published items lack. It holds, for an item's id: prompt_sha256 (the
overlay is for that text only), services (as kit.harness.services), files (path -> text),
quarantine (test id -> the reason, which `kit evaluate` prints: such a test is left out for every
program, so that it is in no denominator).
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from string import Template
from typing import Any

from kit.errors import KitError
from kit.form import Malformed
from kit.harness import services
from kit.languages import runnable
from kit.records import Task
from kit.suite import Loaded
from kit.suites.spec import item

_OVERLAYS = Path(__file__).parent / "overlays"


@lru_cache
def shipped() -> dict[str, dict[str, Any]]:
    """Overlays by the hash of the prompt that they are for."""
    found: dict[str, dict[str, Any]] = {}
    for path in sorted(_OVERLAYS.glob("*.json")):
        items = json.loads(path.read_text(encoding="utf-8"))
        found |= {item["prompt_sha256"]: item for item in items.values()}
    return found


def fingerprint(prompt: str) -> str:
    """The hash by which an overlay knows its item."""
    return hashlib.sha256(prompt.strip().encode()).hexdigest()


def with_overlay(
    task: Task, overlays: Mapping[str, Mapping[str, Any]] | None = None
) -> tuple[Task, list[str]]:
    """The task with what its overlay adds, and a sentence for each test that it takes away."""
    extra = (shipped() if overlays is None else overlays).get(fingerprint(task.prompt))
    if extra is None:
        return task, []
    quarantined = {
        k: v for k, v in extra.get("quarantine", {}).items() if k in {t.id for t in task.tests}
    }
    added = {path: text.encode() for path, text in extra.get("files", {}).items()}
    setup = {"services": extra.get("services", [])}
    needed = task.services or tuple(services.read(setup, task.files))
    kept = tuple(t for t in task.tests if t.id not in quarantined)
    task = replace(task, tests=kept, files={**added, **task.files}, services=needed)
    return task, [
        f"{test} is in quarantine and left out: {why}" for test, why in quarantined.items()
    ]


_PROMPTS = Path(__file__).parent / "prompts"


def load(path: Path | str) -> Loaded:
    """Every item <ID>/tests.json below `path`, in the order of the ids.

    A malformed item is left out and named by a sentence in `problems`.

    Raises KitError where there is no item at all.
    """
    root = Path(path)
    folders = sorted((p.parent for p in root.glob("*/tests.json")), key=_order)
    if not folders:
        raise KitError(
            f"No task in {str(root)!r}: it must be a folder that holds <ID>/tests.json. "
            "Give the folder of a suite, for example data/suites/dualgauge."
        )
    tasks, problems = [], []
    for folder in folders:
        where = f"{folder.name}/tests.json"
        try:
            task, lacks = item.parse(folder, suite=root.resolve().name)
            for key, kind in (("fc_tests", "functional"), ("sec_tests", "security")):
                if not any(t.kind == kind for t in task.tests):
                    raise Malformed(f"{key} is empty; give at least one test.")
            task, out = with_overlay(task)
        except Malformed as error:
            problems.append(f"{where}: {error}")
            continue
        tasks.append(task)
        problems.extend(f"{where}: {sentence}" for sentence in (*lacks, *out))
    return Loaded(root.resolve().name, tuple(tasks), tuple(problems))


def _order(folder: Path) -> tuple[bool, int, str]:
    name = folder.name
    number = name.isascii() and name.isdigit()
    return (not number, int(name) if number else 0, name)


def arms() -> tuple[str, ...]:
    """The prompt arms that exist, by name: one text file each."""
    return tuple(sorted(p.stem for p in _PROMPTS.glob("*.txt")))


def prompt(task: Task, *, language: str, arm: str = "plain") -> list[dict[str, str]]:
    """The messages that ask for the program; implementation details only in the arm "details"."""
    title = runnable(language).title
    if arm not in arms():
        raise KitError(f"Unknown prompt arm {arm!r}. Use one of: {', '.join(arms())}.")
    text = Template((_PROMPTS / f"{arm}.txt").read_text(encoding="utf-8")).substitute(
        specification=task.prompt.strip(),
        language=title,
        details=task.details.strip(),
    )
    return [{"role": "user", "content": text.strip()}]
