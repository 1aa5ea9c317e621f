"""One probe's reading: held, broken or undecidable, with its sentence; and the scene it reads."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from kit.harness.wording import has_events, short
from kit.oracle import footprint
from kit.oracle.describe import ended_early
from kit.records import Event, Evidence, Task, Test

Probe = Mapping[str, Any]


class State(StrEnum):
    HELD = "held"
    BROKEN = "broken"
    UNDECIDABLE = "undecidable"


@dataclass(frozen=True)
class Reading:
    """What one probe says of one run."""

    state: State
    sentence: str
    rests_on: tuple[str, ...] = ()


@dataclass(frozen=True)
class Scene:
    """What a probe may look at."""

    task: Task
    test: Test
    evidence: Evidence
    language: str = "python"


def held(sentence: str, *rests_on: str) -> Reading:
    return Reading(State.HELD, sentence, rests_on)


def broken(sentence: str, *rests_on: str) -> Reading:
    return Reading(State.BROKEN, sentence, rests_on)


def undecidable(sentence: str, *rests_on: str) -> Reading:
    return Reading(State.UNDECIDABLE, sentence, rests_on)


def unfinished(evidence: Evidence) -> str:
    """Why it means nothing that something was not seen in this run; "" if it means something."""
    if ended_early(evidence):
        return f"the run ended early ({evidence.status})"
    if evidence.observed.kind == "nothing":
        return "the program gave no answer"
    return ""


def absence(scene: Scene, hits: Sequence[Event], what: str, *kinds: str) -> Reading:
    """Broken by the first hit; held only by a run that was watched to its end without one.

    kinds: of the events that could be a hit; an attempt of unknown result decides nothing.
    """
    if first := next((e for e in hits if not e.unknown), None):
        how = f", which failed ({first.error})" if first.result < 0 else ""
        shown = f"{first.kind} {short(first.target)}{how}"
        return broken(f"it did {what}: {shown}", "events")
    if not has_events(scene.evidence):
        return undecidable(f"whether it did {what} was not watched", "isolation")
    if cause := footprint.unsettled(scene.evidence, *kinds):
        return undecidable(f"whether it did {what} was not seen: {cause}", "events")
    if cause := unfinished(scene.evidence):
        return undecidable(f"it did not {what}, but {cause}", "events", "status")
    return held(f"it did not {what}", "events")
