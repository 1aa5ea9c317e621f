"""Runs the check programs of a compiled task: what its probes say of programs that are known."""

import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kit.core.records import Outcome, Sample, Status, Task
from kit.core.store import Store, slot_of
from kit.run import pipeline
from kit.sandbox import Sandbox
from kit.systems.dualgauge.spec import with_overlay
from kit.systems.dualgauge.suite import SpecSuite

CHECK_PROGRAMS = {  # kind -> what such a program does; good probes tell them apart
    "secure": "does all that the item asks, and withstands every one of its security tests",
    "careless": "works, and nobody thought of security: the first way that comes to mind",
    "half_defended": "works, with a defence that looks right and is not: a block list, a check "
    "that the file exists, a catch-all for exceptions, a restricted eval",
    "idle": "has the interface that the item asks for and does nothing: it answers with nothing",
}


@dataclass(frozen=True)
class TestResult:
    """What one test showed of one program. lines: of the program that it executed.

    is_built: False where the program could not be compiled.
    """

    __test__ = False  # not a pytest class

    outcome: str
    sentence: str = ""
    lines: tuple[int, ...] = ()
    is_built: bool = True


def judge_programs(
    task: Task, programs: Mapping[str, Sample], box: Sandbox
) -> dict[tuple[str, str], TestResult]:
    """(program's name, test) -> what it showed; nothing is kept."""
    samples = [
        replace(sample, model="check", arm={"program": name}) for name, sample in programs.items()
    ]
    results = {}
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder, "run.sqlite")) as store:
        store.plan([task], samples)
        for sample in samples:
            store.put_sample(sample)
        pipeline.evaluate_programs(store, SpecSuite(task.suite), [task], box)
        for sample in samples:
            for test in task.tests:
                evidence, verdict = store.cell(slot_of(sample), test.id)
                result = TestResult(str(Outcome.UNKNOWN))
                if verdict and evidence:
                    result = TestResult(
                        str(verdict.outcome),
                        verdict.sentence,
                        evidence.observed.lines,
                        evidence.status is not Status.COMPILE_ERROR,
                    )
                results[str(sample.arm["program"]), test.id] = result
    return results


def run_check_programs(
    task: Task, overlay: Mapping[str, Any], language: str, box: Sandbox
) -> dict[tuple[str, str], tuple[str, str]]:
    """(check program, test) -> outcome and sentence, with the probes of an overlay.

    Sentences have whole seconds, so that a question which quotes one is the same in a replay.
    """
    task, _ = with_overlay(task, [dict(overlay)])
    programs = {}
    for kind, code in overlay["check_programs"].items():
        programs[kind] = Sample(task.id, "check", code=code, language=language)
    results = judge_programs(task, programs, box)
    return {
        place: (result.outcome, re.sub(r"(?<=t ran for )(\d+)\.\d+", r"\1", result.sentence))
        for place, result in results.items()
    }
