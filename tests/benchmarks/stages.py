"""Where the time of a test goes, stage by stage, for each language; one test at a time.

A second thread looks every half millisecond at what the first one does: nothing is slowed down as
a profiler would. What a program's language costs before the program itself (its interpreter, the
harness in the box) is what a program takes that does nothing.
"""

import os
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import FrameType

import numpy as np

from kit.bridges.bench import IDLE, tested
from kit.records import Sample, Task
from kit.run import pipeline
from kit.sandbox import Sandbox, open_sandbox
from kit.store import Store
from kit.suite import Suite

CACHE = "XDG_CACHE_HOME"  # below it lie compiled programs
EVERY_S = 0.0005
NOTHINGS = 20  # runs of a program that does nothing
# The first stage with a function on the stack has the moment: what a box does while a compiler runs
# in it is compiling.
STAGES = {
    "compile": (("cpp/build.py", "compiled"),),
    "check": (("javascript/start.py", "_refused"),),
    "coverage": (("cpp/build.py", "covered"),),
    "dumps": (("services.py", "_dumped"),),
    "program": (("process.py", "listen"),),
    "start": (("worker.py", "send"), ("box.py", "_hold"), ("collect.py", "place"),
              ("cgroups.py", "begin"), ("worker.py", "launcher")),
    "collection": (("box.py", "_kill"), ("cgroups.py", "end"), ("collect.py", "take"),
                   ("events.py", "parse_trace")),
    "box, rest": (("bwrap.py", "run"),),
    "harness": (("pipeline.py", "run_one"),),
    "oracle": (("suite.py", "judge"),),
    "store": (("stages.py", "_one_by_one"),),
}  # fmt: skip


def even(samples: Sequence[Sample], limit: int | None) -> list[Sample]:
    """At most `limit` samples of each language, spread evenly over their order."""
    chosen = []
    for language in dict.fromkeys(s.language for s in samples):
        mine = [s for s in samples if s.language == language]
        size = min(limit or len(mine), len(mine))
        picked = np.unique(np.linspace(0, len(mine) - 1, size).round().astype(int))
        chosen += [mine[i] for i in picked]
    return chosen


@contextmanager
def fresh() -> Iterator[Path]:
    """A folder for the runs, with an empty cache of compiled programs for as long as it lasts."""
    before = os.environ.get(CACHE)
    with tempfile.TemporaryDirectory(prefix="kit-bench-") as home:
        os.environ[CACHE] = home
        try:
            yield Path(home)
        finally:
            os.environ.pop(CACHE)
            if before is not None:
                os.environ[CACHE] = before


def measure(
    suite: Suite,
    tasks: Sequence[Task],
    samples: Sequence[Sample],
    *,
    limit: int | None = None,
    tier: str = "bwrap",
) -> dict[str, dict[str, float]]:
    """Per language the milliseconds of a test by stage, in order of the flow; and how many tests.

    limit: programs of each language. Nothing is cached beforehand. `imports` is taken out of
    `program`.
    """
    chosen, found = even(samples, limit), {}
    with fresh() as home, open_sandbox(tier, suite.limits) as box:
        for language in dict.fromkeys(s.language for s in chosen):
            idle = _idle(box, language)
            mine = [s for s in chosen if s.language == language]
            tests, spent = _one_by_one(home / language, suite, tasks, mine, box)
            ms = {name: 1000 * spent[name] / tests for name in STAGES}
            imports = min(idle, ms["program"])
            ms |= {"imports": imports, "program": ms["program"] - imports}
            found[language] = {"tests": tests, "ms": sum(ms.values()), **ms}
    return found


def _idle(box: Sandbox, language: str) -> float:
    """Milliseconds of a program that does nothing, from its first to its last moment."""
    if language not in IDLE:
        return 0.0
    run = partial(tested, box, language)
    run()  # compiles it
    with _watched() as spent:
        for _ in range(NOTHINGS):
            run()
    return 1000 * spent["program"] / NOTHINGS


def _one_by_one(
    run: Path, suite: Suite, tasks: Sequence[Task], samples: Sequence[Sample], box: Sandbox
) -> tuple[int, dict[str, float]]:
    """The stages of the pipeline without its pool; tests, and seconds by stage."""
    with Store(run) as store:
        store.plan(tasks, samples)
        for sample in samples:
            store.put_sample(sample)
        trials = [t for part in pipeline.rounds(store, suite, tasks, box) for t in part]
        with _watched() as spent:
            for trial in trials:
                evidence = pipeline.run_one(suite, trial, box)
                store.put_evidence(trial.key, evidence)
                pipeline.record(store, suite, trial, cached=False)
    return len(trials), spent


@contextmanager
def _watched() -> Iterator[dict[str, float]]:
    """Seconds by stage of what this thread does until the end of the block."""
    spent: dict[str, float] = defaultdict(float)
    ended, watched, before = threading.Event(), threading.get_ident(), sys.getswitchinterval()

    def look() -> None:
        last = time.perf_counter()
        while not ended.wait(EVERY_S):
            stage = _stage(sys._current_frames().get(watched))
            now = time.perf_counter()
            spent[stage] += now - last
            last = now

    sys.setswitchinterval(EVERY_S / 5)
    watcher = threading.Thread(target=look, daemon=True)
    watcher.start()
    try:
        yield spent
    finally:
        ended.set()
        watcher.join()
        sys.setswitchinterval(before)


def _stage(frame: FrameType | None) -> str:
    stack = []
    while frame is not None:
        stack.append((frame.f_code.co_filename, frame.f_code.co_name))
        frame = frame.f_back
    for name, functions in STAGES.items():
        if any(f == asked and p.endswith(f"/{file}") for file, asked in functions
               for p, f in stack):  # fmt: skip
            return name
    return ""


def text(found: dict[str, dict[str, float]]) -> str:
    """The result of `measure`: milliseconds of a test, and shares of the whole."""
    lines = [f"{'ms of a test':14}" + "".join(f"{name:>18}" for name in found)]
    for stage in ("imports", *STAGES):
        cells = (f"{r[stage]:.1f} ({100 * r[stage] / r['ms']:3.0f} %)" for r in found.values())
        lines.append(f"{stage:14}" + "".join(f"{cell:>18}" for cell in cells))
    lines.append(f"{'all':14}" + "".join(f"{r['ms']:>18.1f}" for r in found.values()))
    lines.append(f"{'tests':14}" + "".join(f"{r['tests']:>18.0f}" for r in found.values()))
    return "\n".join(lines)
