"""The dual-test suite: reads specifications with paired functional and security tests.

overlays/<suite>.json and <suite>/compiled.json add what published items lack. Such a file holds by
an item's id: prompt_sha256 (the overlay is for this text only), services, files (path -> text),
quarantine (test id -> the reason, which `kit evaluate` prints: such a test is left out for every
program and so is in no denominator), and tests: by the hash of a test, probes and variants that
were compiled once for a test that its author left in English.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from string import Template
from typing import Any

from kit.core import form
from kit.core.errors import KitError
from kit.core.form import Malformed
from kit.core.languages import require_runnable
from kit.core.paths import SUITES
from kit.core.records import Task, Test, content_key
from kit.harness import services
from kit.run.suite import Loaded
from kit.systems.dualgauge import item

COMPILED = "compiled.json"  # in a suite's folder
_PROMPTS = Path(__file__).parent / "prompts"


@lru_cache
def load_shipped_overlays() -> list[dict[str, Any]]:
    """Every overlay that comes with the kit; its form is checked when it is applied to its item."""
    files = [*Path(__file__).parent.glob("overlays/*.json"), *SUITES.glob(f"*/{COMPILED}")]
    overlays = []
    for path in sorted(files):
        overlays += _parse_overlays(path)
    return overlays


def read_overlays(path: Path) -> list[dict[str, Any]]:
    """The overlays of a file as JSON, with the `item` of each; KitError if one is malformed."""
    overlays = _parse_overlays(path) if path.exists() else []
    try:
        for overlay in overlays:
            form.validate_data(item.OVERLAY, overlay, overlay["item"])
    except Malformed as error:
        raise KitError(f"{path}: {error}") from None
    return overlays


def _parse_overlays(path: Path) -> list[dict[str, Any]]:
    try:
        overlays = json.loads(path.read_text(encoding="utf-8"))
        return [{"item": name, **overlay} for name, overlay in overlays.items()]
    except (ValueError, TypeError, AttributeError) as error:
        raise KitError(f"{path}: it must hold an object of overlays by item: {error}") from None


def hash_prompt(prompt: str) -> str:
    """The hash by which an overlay knows its item."""
    return hashlib.sha256(prompt.strip().encode()).hexdigest()


def test_key(task: Task, test: Test) -> str:
    """The hash by which an overlay knows a test: another input or expectation has another hash."""
    content = task.files.get(test.input_file, b"")
    return content_key(test.input, test.input_file, content, test.behavior, test.cwe)[:16]


def with_overlay(
    task: Task, known: Sequence[dict[str, Any]] | None = None
) -> tuple[Task, list[str]]:
    """The task with what its overlays add, and a sentence for each test that they take away.

    Raises Malformed if the form of one of them is wrong.
    """
    sentences = []
    published = task
    for overlay in load_shipped_overlays() if known is None else known:
        if overlay["prompt_sha256"] != hash_prompt(task.prompt):
            continue
        form.validate_data(item.OVERLAY, overlay, f"the overlay {overlay.get('item', '')}")
        quarantine = overlay.get("quarantine", {})
        compiled = overlay.get("tests", {})
        tests = []
        for test in task.tests:
            if test.id in quarantine:
                reason = quarantine[test.id]
                sentences.append(f"{test.id} is in quarantine and left out: {reason}")
            else:
                tests.append(_add_compiled_probes(test, compiled.get(test_key(published, test))))
        added = {path: text.encode() for path, text in overlay.get("files", {}).items()}
        setup = {"services": overlay.get("services", [])}
        task = replace(
            task,
            tests=tuple(tests),
            files={**added, **task.files},
            services=task.services or tuple(services.read_setup(setup, task.files)),
        )
    return task, sentences


def _add_compiled_probes(test: Test, compiled: dict[str, Any] | None) -> Test:
    """The test with the probes that were compiled for it, unless it brings its own."""
    if compiled is None or test.kind != "security" or test.probes:
        return test
    return replace(
        test,
        probes=tuple(compiled["probes"]),
        variants=tuple(compiled.get("variants", ())),
        compiled_by=f"compiled:{compiled['by']}",
    )


def load_items(root: Path, *, compiled: bool = True) -> Loaded:
    """Every item <ID>/tests.json below `root`, in the order of the ids.

    A malformed item is left out and named by a sentence in `problems`. compiled: with the probes,
    and their files, that were compiled for the items.

    Raises KitError if there is no item.
    """
    folders = sorted((p.parent for p in root.glob("*/tests.json")), key=_sort_key)
    if not folders:
        raise KitError(
            f"No task in {str(root)!r}: it must be a folder that holds <ID>/tests.json. "
            "Give the folder of a suite, for example data/suites/dualgauge."
        )
    tasks = []
    problems = []
    is_shipped = root.resolve().parent == SUITES.resolve()
    overlays = [] if is_shipped else read_overlays(root / COMPILED)
    overlays += load_shipped_overlays()
    if not compiled:
        overlays = [overlay for overlay in overlays if not overlay.get("tests")]
    for folder in folders:
        where = f"{folder.name}/tests.json"
        try:
            task, sentences = item.read_task(folder, suite=root.resolve().name)
            for key, kind in (("fc_tests", "functional"), ("sec_tests", "security")):
                if not any(test.kind == kind for test in task.tests):
                    raise Malformed(f"{key} is empty; give at least one test.")
            task, quarantined = with_overlay(task, overlays)
        except Malformed as error:
            problems.append(f"{where}: {error}")
            continue
        tasks.append(task)
        sentences += [*quarantined, *item.missing_fixtures(task)]
        problems += [f"{where}: {sentence}" for sentence in sentences]
    return Loaded(root.resolve().name, tuple(tasks), tuple(problems))


def _sort_key(folder: Path) -> tuple[bool, int, str]:
    name = folder.name
    is_number = name.isascii() and name.isdigit()
    return (not is_number, int(name) if is_number else 0, name)


def list_arms() -> tuple[str, ...]:
    """The names of the prompt arms: one text file each."""
    return tuple(sorted(p.stem for p in _PROMPTS.glob("*.txt")))


def build_prompt(task: Task, *, language: str, arm: str = "plain") -> list[dict[str, str]]:
    """The messages that ask for the program; implementation details only in the arm "details"."""
    title = require_runnable(language).title
    if arm not in list_arms():
        raise KitError(f"Unknown prompt arm {arm!r}. Use one of: {', '.join(list_arms())}.")
    text = Template((_PROMPTS / f"{arm}.txt").read_text(encoding="utf-8")).substitute(
        specification=task.prompt.strip(), language=title, details=task.details.strip()
    )
    return [{"role": "user", "content": text.strip()}]
