"""Looks at what can be called in a program: a box loads it, once for all of its tests."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from kit.core.records import Evidence, Status, Task, content_key
from kit.harness import box_files, calls, services
from kit.harness.facts import Facts, Look, path_in_module
from kit.harness.shape import asked_names
from kit.sandbox.base import Sandbox

SERVING_S = 3.0  # for the load of a program that may serve for ever while it is loaded


def build_job(task: Task, text: Facts) -> dict[str, Any]:
    """What the box is told: of what is imported, only what the task names counts."""
    classes = asked_names(task.prompt, of_class=True)
    functions = asked_names(task.prompt, of_class=False)
    return {
        "wanted": [*(classes | functions)],
        "folders": calls.find_prompt_folders(task),
        "declared": sorted(text.declared),
    }


def add_callables(
    box: Sandbox,
    task: Task,
    text: Facts,
    command: Sequence[str],
    files: Mapping[str, bytes],
    *,
    read: Callable[[Mapping[str, Any]], Look],
    env: Mapping[str, str] | None = None,
) -> Facts:
    """The facts of the text with what can be called in the loaded program. Raises BoxFailed."""
    environment = services.prepare_environment(task)
    placed = {**services.build_input_files(task), **files}
    wall_s = min(SERVING_S, box.limits.wall_s) if text.serves else box.limits.wall_s
    slot = _cache_slot(content_key(box.identity, placed, task.services))
    if not slot:
        evidence = box.run(
            [*environment.before, *command],
            files=placed,
            env=env,
            limits=replace(box.limits, wall_s=wall_s),
            observe=False,
            **environment.options,
        )
        slot.append(_read_look(evidence, read))
    look = slot[0]
    functions = {".".join(path_in_module(f)) or f.name: f for f in look.functions}
    classes = {owner.name: owner for owner in look.classes}
    return replace(text, look=look, functions=functions, classes=classes)


@lru_cache(maxsize=256)
def _cache_slot(_key: str) -> list[Look]:
    """Where the look at a program is kept, once it was taken."""
    return []


def _read_look(evidence: Evidence, read: Callable[[Mapping[str, Any]], Look]) -> Look:
    if evidence.status is Status.INFRA_ERROR:
        raise box_files.BoxFailed(evidence.note)
    try:
        return read(box_files.read_answers(evidence.channel).last("kind"))
    except (ValueError, TypeError, LookupError, AttributeError):  # the program ended or wrote it
        return Look((), (), ended=str(evidence.status))
